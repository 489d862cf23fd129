import type { Ratios } from './measure.ts';
import { judge, type Judgement } from './statistics.ts';

/**
 * How much of its floor the speed alone has to reach. The load may be slower than both servers, and
 * then the speeds are alike whatever the servers cost; on a busy machine speeds
 * scatter widely. So the floor itself is held against the CPU that a request costs, and the speed
 * only shows what costs no CPU: waiting for nothing.
 */
const SPEED_SLACK = 0.5;

export interface Finding {
  readonly economy: Judgement | undefined;
  readonly speed: Judgement;
  readonly verdict: Judgement['verdict'];
}

/** Holds pairs of measurements against a floor; without CPU figures the speed has to reach it. */
export function find({ speed, economy }: Ratios, floor: number): Finding {
  if (economy === undefined) {
    const bySpeed = judge(speed, floor);
    return { economy, speed: bySpeed, verdict: bySpeed.verdict };
  }
  const byCost = judge(economy, floor);
  const bySpeed = judge(speed, floor * SPEED_SLACK);
  const verdicts = new Set([byCost.verdict, bySpeed.verdict]);
  const verdict = (['failed', 'doubtful'] as const).find((each) => verdicts.has(each));
  return { economy: byCost, speed: bySpeed, verdict: verdict ?? 'passed' };
}

/** More pairs, added to those there are. */
export function together(first: Ratios, second: Ratios): Ratios {
  return {
    speed: [...first.speed, ...second.speed],
    economy: first.economy && second.economy ? [...first.economy, ...second.economy] : undefined,
  };
}

/**
 * Measures, and where the floor is not reached measures again, more often, before it is believed:
 * a machine has bad moments. What is still in doubt then is noise, and passes.
 *
 * @param measure takes so many pairs
 */
export async function findTwice(
  measure: (pairs: number) => Promise<Ratios>,
  floor: number,
  pairs: number,
): Promise<Finding & { readonly isBelieved: boolean }> {
  const first = await measure(pairs);
  const finding = find(first, floor);
  if (finding.verdict === 'passed') return { ...finding, isBelieved: true };
  const again = find(together(first, await measure(pairs * AGAIN)), floor);
  return { ...again, isBelieved: again.verdict !== 'doubtful' };
}

const AGAIN = 2;
