import { SettingsError } from '../../settings/settings-error.ts';
import { listOf, ofSides, STARVED, type OfSides } from '../disturbance.ts';
import { Latencies } from '../latencies.ts';
import { inTurn } from '../measure.ts';
import { median } from '../ratio.ts';
import type { KneeSign } from '../report/rates-schema.ts';
import type { Tried } from './find.ts';
import { isKept, type Trial } from './trial.ts';

/** Rates to measure latencies at, in equal distances. */
export interface Sweep {
  /** Requests per second, or if `isRelative`, shares. */
  readonly from: number;
  readonly to: number;
  /** Number of rates, with both ends. */
  readonly steps: number;
  readonly isRelative: boolean;
}

const STEPS = 12;
const MAX_STEPS = 50;
const MAX_PERCENT = 1000;
const MAX_RATE = 1_000_000;

/**
 * Parses `10%..120%` or `1000..20000`, with the number of rates after a slash if it is not 12.
 *
 * @throws SettingsError
 */
export function parseSweep(text: string): Sweep {
  const wrong = (reason: string): SettingsError =>
    new SettingsError(`--sweep: '${text}' cannot be rates: ${reason}`);
  const [, start, startUnit, end, endUnit, count] =
    /^(\d{1,7}(?:\.\d+)?)(%?)\.\.(\d{1,7}(?:\.\d+)?)(%?)(?:\/(\d{1,3}))?$/.exec(text) ?? [];
  if (start === undefined || end === undefined)
    throw wrong('write 10%..120%, 1000..20000, or 10%..120%/6 for six of them');
  if (startUnit !== endUnit) throw wrong('both ends are shares, or both are requests per second');
  const [from, to, steps] = [Number(start), Number(end), Number(count ?? STEPS)];
  const isRelative = endUnit === '%';
  const most = isRelative ? MAX_PERCENT : MAX_RATE;
  if (from <= 0 || to <= from)
    throw wrong('the first rate is above 0, and the last above the first');
  if (to > most) throw wrong(`at most ${most}${isRelative ? ' %' : ''}`);
  if (steps < 2 || steps > MAX_STEPS) throw wrong(`from 2 to ${MAX_STEPS} rates`);
  const factor = isRelative ? 1 / 100 : 1;
  return { from: from * factor, to: to * factor, steps, isRelative };
}

/** The rates of a sweep, whole and rising. @param base requests per second of 100 % */
export function ratesOf({ from, to, steps, isRelative }: Sweep, base: number): number[] {
  const factor = isRelative ? base : 1;
  const rates = Array.from({ length: steps }, (_, at) =>
    Math.max(1, Math.round((from + ((to - from) * at) / (steps - 1)) * factor)),
  );
  return [...new Set(rates)];
}

/** A side at a rate. */
export interface Point extends Pick<
  Trial,
  'rate' | 'completed' | 'requests' | 'errors' | 'latencies' | 'lagP99'
> {
  /** Whether the rate was kept in most of its loads. */
  readonly isKept: boolean;
}

/**
 * Measures all sides at all rates. Rounds begin with the lowest rate again, so that what disturbs the machine for a while
 * does not look like a knee. At each rate, the sides are measured in turn.
 */
export async function sweepRates(
  sides: OfSides<Tried>,
  rates: readonly number[],
  rounds: number,
): Promise<OfSides<readonly Point[]>> {
  const trials = ofSides(sides, (side) => ({ side, at: rates.map((): Trial[] => []) }));
  for (let round = 0; round < rounds; round++) {
    for (const [step, rate] of rates.entries()) {
      await inTurn(
        listOf(trials),
        1,
        async ({ side, at }) => void at[step]?.push(await side.tryRate(rate)),
        round + step,
      );
    }
  }
  return ofSides(trials, ({ at }) => at.map(pointOf));
}

/** The trials at a rate together, without those that had no core if there are others. */
export function pointOf(trials: readonly Trial[]): Point {
  const undisturbed = trials.filter(({ waited }) => waited < STARVED);
  const kept = undisturbed.length > 0 ? undisturbed : trials;
  const latencies = new Latencies();
  for (const trial of kept) latencies.add(trial.latencies);
  const sum = (name: 'requests' | 'errors'): number =>
    kept.reduce((all, trial) => all + trial[name], 0);
  return {
    rate: kept[0]?.rate ?? 0,
    completed: median(kept.map(({ completed }) => completed)),
    requests: sum('requests'),
    errors: sum('errors'),
    latencies,
    lagP99: median(kept.map(({ lagP99 }) => lagP99)),
    isKept: kept.filter((trial) => isKept(trial)).length * 2 > kept.length,
  };
}

/** Increase of the 99th percentile that is a knee, if it is also more than `RISE` milliseconds. */
const FACTOR = 2;
const RISE = 0.1;
/** Share of failed requests that is a knee. */
const FAILING = 0.01;

/** Where a side begins to be too slow: not at `below` requests per second, but at `above`. */
export interface Knee {
  /** undefined if it is at the first rate already */
  readonly below: number | undefined;
  readonly above: number;
  readonly sign: KneeSign;
}

/**
 * The knee: the first rate that a side does not keep, at which a hundredth of the requests fail, or at which the 99th
 * percentile is more than twice the lowest of the rates up to there. A single rate between two others that are
 * not beyond these limits is an outlier.
 */
export function kneeOf(points: readonly Point[]): Knee | undefined {
  let floor = Infinity;
  const signs = points.map((point) => {
    floor = Math.min(floor, point.latencies.at(99));
    return signOf(point, floor);
  });
  const at = signs.findIndex(
    (sign, index) => sign !== undefined && (index === signs.length - 1 || signs[index + 1]),
  );
  const [above, sign] = [points[at]?.rate, signs[at]];
  return above === undefined || sign === undefined
    ? undefined
    : { below: points[at - 1]?.rate, above, sign };
}

function signOf(
  { latencies, requests, errors, isKept: keeps }: Point,
  floor: number,
): Knee['sign'] | undefined {
  if (!keeps) return 'rate';
  if (errors > requests * FAILING) return 'errors';
  const p99 = latencies.at(99);
  return p99 > floor * FACTOR && p99 > floor + RISE ? 'p99' : undefined;
}
