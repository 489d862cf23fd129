import { counted } from '../check/words.ts';
import { SettingsError } from '../settings/settings-error.ts';
import { warmUpOf } from './measure.ts';
import type { BenchOptions } from './options.ts';
import type { RowTime } from './repeat-rounds.ts';

/** Rounds in which a verdict can be certain. */
const LEAST = 10;
/** Seconds of a load at a fixed rate. What happens once a second is then in each round. */
const LOAD_SECONDS = 1;
/** Length of a full load, as a share of it: more and shorter ones tell sides apart that a machine disturbs in bursts. */
const FULL_SHARE = 0.5;
/** Shortest load for which rounds are made shorter, in seconds. */
const MIN_SECONDS = 0.1;
/** Seconds for a row without --time and --rounds. */
const ROW_SECONDS = 120;
/** Time to connect, and to read the origin's metrics, as a share of the loads. */
const OVERHEAD = 0.3;

/** How many rounds a row has, and how long they may take. */
export interface RoundPlan {
  /** The least number of rounds. */
  readonly rounds: number;
  /** Seconds of each load at a fixed rate. */
  readonly seconds: number;
  /** Seconds for all rows; undefined without --time. */
  readonly time: number | undefined;
  /** Whether there are further rounds while the results are unclear. */
  readonly isOpen: boolean;
}

/**
 * Plans the rounds. If --time does not suffice for the rounds, loads are shorter, unless --duration is given.
 *
 * @throws SettingsError if it does not suffice for one round
 * @param rows of the run, and below, sides of a row
 */
export function roundPlan(
  { rounds, duration, time }: Pick<BenchOptions, 'rounds' | 'duration' | 'time'>,
  rows: number,
  sides: number,
): RoundPlan {
  const least = rounds ?? LEAST;
  const plan = { rounds: least, time, isOpen: time !== undefined || rounds === undefined };
  if (time === undefined) return { ...plan, seconds: duration ?? LOAD_SECONDS };
  const fitting = time / rows / rowSeconds({ rounds: least, seconds: 1 }, sides);
  // Rounded down, so that reports have no long fractions.
  const rounded = Math.floor(fitting * 100) / 100;
  const seconds = duration ?? Math.min(LOAD_SECONDS, Math.max(MIN_SECONDS, rounded));
  const needed = rows * rowSeconds({ rounds: 1, seconds }, sides);
  if (needed > time) {
    throw new SettingsError(
      `--time has no room for one round of ${counted(rows, 'row')}, which takes about ${durationText(needed)}: have more time, shorter loads (--duration) or fewer rows (--only, --protocol)`,
    );
  }
  return { ...plan, seconds };
}

export const timeOf = (load: number): number => load + warmUpOf(load);

/** Seconds of each full load. */
export const fullSecondsOf = ({ seconds }: Pick<RoundPlan, 'seconds'>): number =>
  Math.max(MIN_SECONDS, seconds * FULL_SHARE);

/** How long the least rounds of a row take, in seconds. */
function rowSeconds(plan: Pick<RoundPlan, 'rounds' | 'seconds'>, sides: number): number {
  const { rounds, seconds } = plan;
  const full = timeOf(fullSecondsOf(plan));
  // With several sides, each but one has a load with twice as many connections. Rehearsals take as long as a warm-up.
  const loads = sides * rounds * (full + timeOf(seconds)) + (sides - 1) * full;
  const all = loads + sides * 2 * timeOf(warmUpOf(seconds));
  return all * (1 + OVERHEAD);
}

/** Says how long a run will take. */
export function estimate(plan: RoundPlan, rows: number, sides: number): string {
  const least = rows * rowSeconds(plan, sides);
  const most =
    plan.time ?? (plan.isOpen && sides > 1 ? Math.max(least, rows * ROW_SECONDS) : least);
  const isSure = plan.time !== undefined || most <= least;
  const rounds = `${isSure ? '' : 'at least '}${counted(plan.rounds, 'round')}`;
  const time = isSure ? durationText(most) : `${shortText(least, most)}${durationText(most)}`;
  return `${counted(rows, 'row')} of ${rounds}: about ${time}`;
}

const MINUTES_FROM = 90;

export function durationText(seconds: number): string {
  return seconds < MINUTES_FROM
    ? counted(Math.ceil(seconds), 'second')
    : counted(Math.round(seconds / 60), 'minute');
}

/** The begin of a range whose end has a unit. */
function shortText(least: number, most: number): string {
  const isSame = least < MINUTES_FROM === most < MINUTES_FROM;
  const begin = durationText(least);
  return `${isSame ? begin.replace(/ .*/, '') : begin} to `;
}

/** @param runEnd when the run is over, by performance.now() @param rows that are left, with this one */
export function rowTime(
  { rounds, time, isOpen }: RoundPlan,
  runEnd: number,
  rows: number,
): RowTime {
  const now = performance.now();
  const isStrict = time !== undefined;
  if (!isOpen) return { rounds, isStrict, end: now };
  return { rounds, isStrict, end: now + (isStrict ? (runEnd - now) / rows : ROW_SECONDS * 1000) };
}
