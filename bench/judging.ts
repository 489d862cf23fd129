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
  const verdict = (['failed', 'undecided'] as const).find((each) => verdicts.has(each));
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
 * Measures until the intervals decide, or there are as many pairs as there may be. A failure is not believed of the
 * first pairs: a machine has bad moments.
 *
 * @param measure takes so many pairs
 * @param pairs of the first measurement; there are at most five times as many in all
 */
export async function findWithRepeats(
  measure: (pairs: number) => Promise<Ratios>,
  floor: number,
  pairs: number,
): Promise<Finding> {
  let ratios = await measure(pairs);
  let finding = find(ratios, floor);
  for (let repeat = 0; finding.verdict !== 'passed' && repeat < MAX_REPEATS; repeat += 1) {
    ratios = together(ratios, await measure(pairs * MORE_PAIRS));
    finding = find(ratios, floor);
    if (finding.verdict === 'failed') break;
  }
  return finding;
}

const MORE_PAIRS = 2;
const MAX_REPEATS = 2;
