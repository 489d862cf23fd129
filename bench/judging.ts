import { median, medianInterval } from '../src/bench/ratio.ts';
import { ratiosOf, type Pairs } from './measure.ts';

/**
 * How much of its floor the speed alone has to reach. The load may be slower than both servers, and
 * then the speeds are alike whatever the servers cost; on a busy machine speeds
 * scatter widely. So the floor itself is held against the CPU that a request costs, and the speed
 * only shows what costs no CPU: waiting for nothing.
 */
const SPEED_SLACK = 0.5;

/** Of an interval that decides: it is looked at up to three times, and each may be wrong. */
const CERTAINTY = 0.98;

export interface Judgement {
  /** The median over the pairs. */
  readonly ratio: number;
  readonly interval: readonly [low: number, high: number];
  readonly verdict: 'passed' | 'undecided' | 'failed';
}

export interface Finding {
  readonly economy: Judgement | undefined;
  readonly speed: Judgement;
  readonly verdict: Judgement['verdict'];
}

/** Holds pairs against a floor; without CPU figures the speed has to reach it. */
export function find({ speed, economy }: Pairs, floor: number): Finding {
  if (economy === undefined) {
    const bySpeed = judge(ratiosOf(speed), floor);
    return { economy, speed: bySpeed, verdict: bySpeed.verdict };
  }
  const byCost = judge(ratiosOf(economy), floor);
  const bySpeed = judge(ratiosOf(speed), floor * SPEED_SLACK);
  const verdicts = new Set([byCost.verdict, bySpeed.verdict]);
  const verdict = (['failed', 'undecided'] as const).find((each) => verdicts.has(each));
  return { economy: byCost, speed: bySpeed, verdict: verdict ?? 'passed' };
}

/**
 * The interval decides: wholly at or above the floor passes, wholly below fails. So does what has no figure.
 *
 * It is not the one of `wirebin bench`, which has to claim no difference where there is none: on a busy machine that
 * one decides much later, and the gate would let pass what costs a fifth more.
 */
export function judge(ratios: readonly number[], floor: number): Judgement {
  const interval = medianInterval(ratios, CERTAINTY);
  const [low, high] = interval;
  const verdict = low >= floor ? 'passed' : high >= floor ? 'undecided' : 'failed';
  return { ratio: median(ratios), interval, verdict };
}

const MORE_PAIRS = 2;
const MAX_REPEATS = 2;

/**
 * Measures until the intervals decide, or there are as many pairs as there may be. A failure is not believed of the
 * first pairs: a machine has bad moments.
 *
 * @param measure takes so many pairs more, and returns all
 * @param pairs of the first measurement; there are at most five times as many in all
 */
export async function findWithRepeats(
  measure: (pairs: number) => Promise<Pairs>,
  floor: number,
  pairs: number,
): Promise<Finding> {
  let finding = find(await measure(pairs), floor);
  for (let repeat = 0; finding.verdict !== 'passed' && repeat < MAX_REPEATS; repeat += 1) {
    finding = find(await measure(pairs * MORE_PAIRS), floor);
    if (finding.verdict === 'failed') break;
  }
  return finding;
}
