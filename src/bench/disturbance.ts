import type { OriginLoad } from './origin-loop.ts';
import { median } from './ratio.ts';

/** From this share of the time on, a thread that waits for a core decides what is measured. */
export const STARVED = 0.1;
/** From this share of the time on, processes that wait for a core tell of an origin that does not tell itself. */
const CROWDED = 0.5;
/** From this share of the requests on that wait for a slot, a rate is not kept. */
const QUEUED = 0.1;

/** What a load was measured under. */
export interface Conditions {
  /** The share of the time in which the load generator was kept from running. */
  readonly waited: number;
  /** The share of the time in which any process of this machine was; undefined if it is not known. */
  readonly pressure: number | undefined;
  /** Undefined if it cannot be read. */
  readonly origin: OriginLoad | undefined;
  /** The share of the requests that had to wait for a slot; undefined at full load. */
  readonly queued?: number;
}

/** What disturbed a load; `rate`: a rate that the side does not keep. */
type Cause = 'load' | 'origin' | 'machine' | 'rate';
type Disturbance = readonly [cause: Cause, share: number];

/** The rounds of a scenario, at full load or at a fixed rate. */
export interface Rounds {
  readonly done: number;
  /** Those that count, from 0. */
  readonly kept: readonly number[];
  /** What is said of those that do not; undefined if there are none. */
  readonly disturbance: string | undefined;
}

/**
 * Drops the rounds of which either side was disturbed.
 *
 * @param isShared whether the target may take the cores of load and origin. What both usually wait then while there is
 *   load through the target is no disturbance; others who take the cores are seen past the target.
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

/** Whether too few rounds are left to say anything. */
export const isInvalid = ({ done, kept }: Rounds): boolean => done > 0 && kept.length * 2 < done;

/** Whether a side does not keep the rate: requests wait for others. */
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

/** Each cause once, with its median. */
function disturbanceText(found: readonly Disturbance[]): string {
  const causes = new Set(found.map(([cause]) => cause));
  return Array.from(causes, (cause) => {
    const shares = found.flatMap(([each, share]) => (each === cause ? [share] : []));
    return TEXTS[cause](percent(median(shares)));
  }).join('; ');
}

export const percent = (share: number): string => `${Math.round(share * 100)} %`;
