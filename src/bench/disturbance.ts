import type { OriginLoad } from './origin-loop.ts';
import { median } from './ratio.ts';

/** Share of the time: from it on, the result depends on waiting for a core rather than on the thread's own work. */
export const STARVED = 0.1;
/** Share of the time waiting for a core, from which on an origin without own figures counts as disturbed. */
const CROWDED = 0.5;
/** Share of requests waiting for a slot, from which on a side does not keep the rate. */
const QUEUED = 0.1;

/** Conditions under which a load was measured, as shares of its time. */
export interface Conditions {
  /** Share of the time in which other processes kept the load generator from running. */
  readonly waited: number;
  /** Share of the time in which any process of this machine waited for a core; undefined if it is not known. */
  readonly pressure: number | undefined;
  /** Load of the origin; undefined if it cannot be read. */
  readonly origin: OriginLoad | undefined;
  /** Share of the requests that waited for a slot; undefined at full load. */
  readonly queued?: number;
}

/** What disturbed a load. `rate`: the side did not keep the rate. */
type Cause = 'load' | 'origin' | 'machine' | 'rate';
type Disturbance = readonly [cause: Cause, share: number];

/** The rounds of a scenario, at full load or at a fixed rate. */
export interface Rounds {
  readonly done: number;
  /** Indices of the rounds that count. */
  readonly kept: readonly number[];
  /** Note on the rounds that do not count; undefined if all count. */
  readonly disturbance: string | undefined;
}

/**
 * Drops rounds in which either side was disturbed.
 *
 * @param isShared whether the target may use the cores of load and origin. Then the waits that are usual under load
 * through the target are no disturbance. Other processes on these cores show in the direct side
 */
export function undisturbed(
  target: readonly Conditions[],
  direct: readonly Conditions[] | undefined,
  isShared: boolean,
): Rounds {
  const none = { load: 0, origin: 0, machine: isShared ? 0 : Infinity };
  const usual = isShared
    ? {
        load: median(target.map(({ waited }) => waited)),
        origin: median(target.map(({ origin }) => origin?.waited ?? 0)),
        machine: median(target.map(({ pressure = 0 }) => pressure)),
      }
    : none;
  const done = Math.min(target.length, direct?.length ?? Infinity);
  const found = Array.from({ length: done }, (_, round) =>
    [disturbanceOf(target[round], usual), disturbanceOf(direct?.[round], none)].flatMap((each) =>
      each ? [each] : [],
    ),
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

/** Whether a side does not keep the rate, because too many requests wait for a slot. */
export const isQueued = (queued: number): boolean => queued >= QUEUED;

function disturbanceOf(
  conditions: Conditions | undefined,
  usual: Readonly<Record<'load' | 'origin' | 'machine', number>>,
): Disturbance | undefined {
  if (!conditions) return undefined;
  const { waited, pressure = 0, origin, queued = 0 } = conditions;
  if (waited - usual.load >= STARVED) return ['load', waited];
  if (origin?.waited === undefined) {
    if (pressure - usual.machine >= CROWDED) return ['machine', pressure];
  } else if (origin.waited - usual.origin >= STARVED) return ['origin', origin.waited];
  return isQueued(queued) ? ['rate', queued] : undefined;
}

const TEXTS: Readonly<Record<Cause, (share: string) => string>> = {
  load: (share) => `the load generator waited for a core for ${share} of the time`,
  origin: (share) => `the origin waited for a core for ${share} of the time`,
  machine: (share) => `processes of this machine waited for a core for ${share} of the time`,
  rate: (share) => `${share} of the requests waited for others, so that the rate was not kept`,
};

/** Describes each cause once, with its median share. */
function disturbanceText(found: readonly Disturbance[]): string {
  const causes = new Set(found.map(([cause]) => cause));
  return Array.from(causes, (cause) => {
    const shares = found.flatMap(([each, share]) => (each === cause ? [share] : []));
    return TEXTS[cause](percent(median(shares)));
  }).join('; ');
}

export const percent = (share: number): string => `${Math.round(share * 100)} %`;
