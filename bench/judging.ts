import { median } from '../src/bench/ratio.ts';
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

/**
 * Where the true median lies with this certainty, whatever the distribution: order statistics, each
 * value being above the median with probability one half. Of few values this is their range,
 * which is less certain: that of five 94 %.
 */
export function medianInterval(
  values: readonly number[],
  certainty: number,
): readonly [low: number, high: number] {
  const sorted = values.toSorted((a, b) => a - b);
  const count = sorted.length;
  let tail = 0.5 ** count;
  let term = tail;
  let rank = 0;
  // Both tails together may hold the rest.
  while (rank + 1 < count / 2) {
    term *= (count - rank) / (rank + 1);
    if (2 * (tail + term) > 1 - certainty) break;
    tail += term;
    rank += 1;
  }
  return [sorted[rank] ?? Number.NaN, sorted[count - 1 - rank] ?? Number.NaN];
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
