import { toMicrosecond } from '../../server/timing.ts';
import { listOf, ofSides, type OfSides } from '../disturbance.ts';
import type { RoundOptions, Side } from '../measure.ts';
import type { FoundSide, PointView, SweepSide } from '../report/rates-schema.ts';
import type { Row } from '../report/report.ts';
import { percentilesView } from '../side-view.ts';
import { durationText, timeOf, type RoundPlan } from '../round-plan.ts';
import type { Condition } from './condition.ts';
import { findRates, type Found, type Tried } from './find.ts';
import { kneeOf, ratesOf, sweepRates, type Point, type Sweep } from './sweep.ts';

/** What is asked about rates: --find and --sweep. */
export interface RateOptions {
  readonly find: Condition | undefined;
  readonly sweep: Sweep | undefined;
}

/** How often each rate of a sweep is measured, unless there are fewer rounds. */
const SWEEP_ROUNDS = 3;
/** Number of trials that a search usually takes. */
const TRIALS = 25;

/** Says how much longer a run takes; empty if it does not. @param sides of all rows */
export function ratesEstimate(
  { find, sweep }: RateOptions,
  { rounds, seconds }: Pick<RoundPlan, 'rounds' | 'seconds'>,
  sides: number,
): string {
  const trials = (find ? TRIALS : 0) + (sweep ? sweep.steps * Math.min(SWEEP_ROUNDS, rounds) : 0);
  const names = [...(find ? ['--find'] : []), ...(sweep ? ['--sweep'] : [])].join(' and ');
  return trials === 0
    ? ''
    : `${names}: about ${durationText(trials * sides * timeOf(seconds))} more\n`;
}

export interface RateRun extends Pick<RoundOptions, 'signal' | 'time'> {
  readonly rates: RateOptions;
  /** Whether all sides run on the machine of the load. */
  readonly isOneMachine: boolean;
  /** Called before each trial, with its requests per second. */
  readonly onTrial: (rate: number) => void;
}

/** The members of a row that --find and --sweep add. */
export type RowRates = Pick<Row, 'found' | 'sweep'>;

/**
 * Searches for rates, and measures latency by rate, on all sides in turn. Nothing is measured if a side has not
 * completed any request at full load.
 */
export async function measureRates(
  sides: OfSides<Side>,
  { rates: { find, sweep }, isOneMachine, time, signal, onTrial }: RateRun,
): Promise<RowRates> {
  if (listOf(sides).some(({ capacity }) => !(capacity > 0))) return {};
  const tried = ofSides(sides, (side): Tried => ({
    capacity: side.capacity,
    seconds: side.seconds,
    isLocal: isOneMachine,
    tryRate(rate, factor) {
      onTrial(rate);
      return side.tryRate(rate, signal, factor);
    },
  }));
  const found = find && withOrigin(await findRates(find, tried));
  const isFound = found !== undefined && found.target.rate > 0;
  const noted = found && !isFound && sweep?.isRelative === true ? withShares(found) : found;
  const base = isFound ? found.target.rate : sides.target.capacity;
  const rounds = Math.min(SWEEP_ROUNDS, time.rounds);
  const points = sweep && (await sweepRates(tried, ratesOf(sweep, base), rounds));
  return {
    ...(noted && { found: { condition: find?.text ?? '', ...views(noted, foundView) } }),
    ...(points && { sweep: views(points, sweepView) }),
  };
}

/** Says of the sides before the origin if it may have been their limit. */
function withOrigin({ target, baseline, direct }: OfSides<Found>): OfSides<Found> {
  const noted = (found: Found): Found =>
    direct && found.limit === 'side' && direct.limit !== 'none' && found.high >= direct.low
      ? { ...found, reason: 'not lower than past it: the origin may be the limit' }
      : found;
  return { target: noted(target), baseline: baseline && noted(baseline), direct };
}

/** Says that a sweep has shares of what the target does at full load, since no rate was found. */
function withShares({ target, ...others }: OfSides<Found>): OfSides<Found> {
  const reason = `${target.reason ?? ''}; the shares of --sweep are of full load`;
  return { ...others, target: { ...target, reason } };
}

/** Sides as reports have them. */
function views<T, V>(sides: OfSides<T>, view: (side: T) => V) {
  const { target, baseline = null, direct = null } = ofSides(sides, view);
  return { target, baseline, direct };
}

function foundView({ rate, low, high, limit, reason, trials }: Found): FoundSide {
  return {
    rate: Math.round(rate),
    low: Math.round(low),
    high: limit === 'load' ? null : Math.round(high),
    limited_by: limit,
    trials,
    note: reason ?? '',
  };
}

function sweepView(points: readonly Point[]): SweepSide {
  const knee = kneeOf(points);
  return {
    points: points.map(pointView),
    knee: knee ? { ...knee, below: knee.below ?? null } : null,
  };
}

function pointView({ rate, completed, requests, errors, lagP99, latencies }: Point): PointView {
  const { percentiles: all } = latencies;
  return {
    rate,
    completed: Math.round(completed),
    requests,
    errors,
    load_lag_ms: toMicrosecond(lagP99),
    latency_ms: all ? { ...percentilesView(all), max: toMicrosecond(all.max) } : null,
  };
}
