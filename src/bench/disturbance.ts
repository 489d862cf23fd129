import type { OriginLoad } from './origin-loop.ts';
import { median } from './ratio.ts';

/** Share of the time: from it on, the result depends on waiting for a core rather than on the thread's own work. */
export const STARVED = 0.1;
/** Share of the time waiting for a core, from which on an origin without own figures counts as disturbed. */
export const CROWDED = 0.5;
/** Share of requests waiting for a slot, from which on a side stalls, or does not keep the rate. */
const QUEUED = 0.1;

/** Conditions under which a load was measured, as shares of its time. */
export interface Conditions {
  /** Share of the time in which other processes kept the load generator from running. */
  readonly waited: number;
  /** Share of the time in which any process of this machine waited for a core; undefined if it is not known. */
  readonly pressure: number | undefined;
  /** Load of the origin; undefined if it cannot be read. */
  readonly origin: OriginLoad | undefined;
  /** How late requests were sent, in milliseconds: the 99th percentile; undefined at full load. */
  readonly lagP99?: number;
}

/** What disturbed a load. A target that stalls is none of it: its rounds count. */
type Cause = 'load' | 'origin' | 'machine';
interface Disturbance {
  readonly cause: Cause;
  readonly share: number;
}

/** The rounds of a scenario, at full load or at a fixed rate. */
export interface Rounds {
  readonly done: number;
  /** Indices of the rounds that count. */
  readonly kept: readonly number[];
  /** Note on the rounds that do not count; undefined if all count. */
  readonly disturbance: string | undefined;
}

/** The results of one side, or something of it, for all that are measured. */
export interface OfSides<T> {
  readonly target: T;
  /** What the target is compared with, unless that is the direct side. */
  readonly baseline: T | undefined;
  readonly direct: T | undefined;
}

/** The same of each side that is measured. */
export function ofSides<T, R>(sides: OfSides<T>, of: (side: T) => R): OfSides<R> {
  const { target, baseline, direct } = sides;
  return {
    target: of(target),
    baseline: baseline && of(baseline),
    direct: direct && of(direct),
  };
}

/** The sides that are measured, in the order of a round. */
export const listOf = <T extends object>({ target, baseline, direct }: OfSides<T>): readonly T[] =>
  [target, baseline, direct].flatMap((side) => side ?? []);

/**
 * Drops rounds in which any side was disturbed.
 *
 * @param isShared whether target and baseline may use the cores of load and origin. Then the waits that are usual under
 * load through them are no disturbance. Other processes on these cores show in the direct side
 */
export function undisturbed(
  { target, baseline, direct }: OfSides<readonly Conditions[]>,
  isShared: boolean,
): Rounds {
  const none = { load: 0, origin: 0, machine: isShared ? 0 : Infinity };
  const usualOf = (rounds: readonly Conditions[]): typeof none =>
    isShared
      ? {
          load: median(rounds.map(({ waited }) => waited)),
          origin: median(rounds.map(({ origin }) => origin?.waited ?? 0)),
          machine: median(rounds.map(({ pressure = 0 }) => pressure)),
        }
      : none;
  const sides = [
    { rounds: target, usual: usualOf(target) },
    ...(baseline ? [{ rounds: baseline, usual: usualOf(baseline) }] : []),
    ...(direct ? [{ rounds: direct, usual: none }] : []),
  ];
  const done = Math.min(...sides.map(({ rounds }) => rounds.length));
  const found = Array.from({ length: done }, (_, round) =>
    sides.flatMap(({ rounds, usual }) => disturbanceOf(rounds[round], usual) ?? []),
  );
  const dropped = found.flat();
  return {
    done,
    kept: [...found.keys()].filter((round) => found[round]?.length === 0),
    disturbance: dropped.length > 0 ? disturbanceText(dropped) : undefined,
  };
}

/** Whether too few rounds count for a result. */
export const isInvalid = ({ done, kept }: Rounds): boolean => done > 0 && kept.length * 2 < done;

/** Whether so many requests wait for a slot that a side stalls, or does not keep the rate. */
export const isQueued = (queued: number): boolean => queued >= QUEUED;

function disturbanceOf(
  conditions: Conditions | undefined,
  usual: Readonly<Record<'load' | 'origin' | 'machine', number>>,
): Disturbance | undefined {
  if (!conditions) return undefined;
  const { waited, pressure = 0, origin } = conditions;
  if (waited - usual.load >= STARVED) return { cause: 'load', share: waited };
  if (origin?.waited === undefined)
    return pressure - usual.machine >= CROWDED ? { cause: 'machine', share: pressure } : undefined;
  return origin.waited - usual.origin >= STARVED
    ? { cause: 'origin', share: origin.waited }
    : undefined;
}

const TEXTS: Readonly<Record<Cause, (share: string) => string>> = {
  load: (share) => `the load generator waited for a core for ${share} of the time`,
  origin: (share) => `the origin waited for a core for ${share} of the time`,
  machine: (share) => `processes of this machine waited for a core for ${share} of the time`,
};

/** Describes each cause once, with its median share. */
function disturbanceText(found: readonly Disturbance[]): string {
  const causes = new Set(found.map(({ cause }) => cause));
  return Array.from(causes, (cause) => {
    const shares = found.flatMap((each) => (each.cause === cause ? [each.share] : []));
    return TEXTS[cause](percent(median(shares)));
  }).join('; ');
}

export const percent = (share: number): string => `${Math.round(share * 100)} %`;
