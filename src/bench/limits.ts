import { percent, STARVED } from './disturbance.ts';
import type { OriginLoad } from './origin-loop.ts';
import type { Estimate } from './ratio.ts';

/** From this share of the time on, an event loop has no room left. */
const BUSY = 0.9;
/** So much more of the time do processes wait while the target has load, if what it shares its cores with matters. */
const CROWDED = 0.25;
/** From this share of the time on, a faster load generator may have changed the ratio. */
const NEARLY_BUSY = 0.8;
/** The origin alone is so many times as fast as the target if the target is the limit for sure. */
const AMPLE = 2;
/** With so many times as much from twice as many connections, their number was the limit. */
const GAIN = 1.1;

/** What limited the requests per second; `invalid`: too many rounds were disturbed. */
export const LIMITS = ['load', 'origin', 'target', 'unknown', 'invalid'] as const;
export type Limit = (typeof LIMITS)[number];

export interface Measured {
  /** At full load through the target. */
  readonly requestsPerSecond: number;
  /** What the load generator did at full load: through the target, and past it. */
  readonly load: { readonly busy: number; readonly waited: number };
  readonly directBusy: number | undefined;
  /** How much more of the time processes waited for a core through the target, if it is on this machine. */
  readonly crowding: number;
  /** Requests per second through the target as a share of those past it. */
  readonly ratio: Estimate | undefined;
  /** The event loops of the origin at full load through the target; undefined if they cannot be read. */
  readonly origin: OriginLoad | undefined;
  /** With twice as many connections through the target; undefined if that was not measured. */
  readonly doubled: { readonly requestsPerSecond: number; readonly busy: number } | undefined;
}

/** A limit, and how it is known. */
export interface Judgement {
  readonly limit: Limit;
  readonly reason: string;
}

const unknown = (reason: string): Judgement => ({ limit: 'unknown', reason });

/** Names the limit if it is known. */
export function judgeLimit(measured: Measured): Judgement {
  const { requestsPerSecond, load, directBusy, ratio, origin, crowding } = measured;
  if (requestsPerSecond === 0) return unknown('No request was successful.');
  if (load.busy >= BUSY) {
    const busy = percent(load.busy);
    const reason = `The load generator was busy for ${busy} of the time: the target can do more.`;
    return { limit: 'load', reason };
  }
  if (directBusy === undefined)
    return unknown('Only with --direct is it known whether the origin was the limit.');
  if (!ratio) return unknown('No request past the target was successful.');
  const waited = Math.max(load.waited, origin?.waited ?? 0);
  if (waited >= STARVED) {
    return unknown(
      `Load generator or origin waited for a core for ${percent(waited)} of the time while the target had load.`,
    );
  }
  if (crowding >= CROWDED) {
    return unknown(
      `Processes of this machine waited for a core for ${percent(crowding)} of the time more than past the target.`,
    );
  }
  const judgement = (origin && byLoops(origin)) ?? byRatio(ratio, origin);
  return judgement.limit === 'target' ? (refuted(measured, ratio) ?? judgement) : judgement;
}

/** What speaks against the target as the limit. */
function refuted({ requestsPerSecond, doubled }: Measured, ratio: Estimate): Judgement | undefined {
  if (ratio.high >= 1) {
    return unknown('The target may be as fast as the origin alone: what limits both is not known.');
  }
  if (!doubled) return unknown('Whether more connections do more was not measured.');
  const gain = doubled.requestsPerSecond / requestsPerSecond;
  if (gain >= GAIN) {
    const reason = `Twice as many connections do ${gain.toFixed(1)} times as much: the target can do more.`;
    return { limit: 'load', reason };
  }
  if (doubled.busy < BUSY) return undefined;
  const busy = percent(doubled.busy);
  return unknown(
    `With twice as many connections, the load generator was busy for ${busy} of the time.`,
  );
}

function byLoops({ busy, loops }: OriginLoad): Judgement | undefined {
  if (busy >= BUSY) {
    return {
      limit: 'origin',
      reason: `The origin was busy for ${percent(busy)} of the time: the target can do more.`,
    };
  }
  // Of several workers, a single one may have been busy all the time.
  if (busy * loops >= BUSY) return undefined;
  return {
    limit: 'target',
    reason:
      loops === 1
        ? `The origin was busy for ${percent(busy)} of the time.`
        : `The ${loops} event loops of the origin were busy for ${percent(busy)} of the time.`,
  };
}

function byRatio({ median }: Estimate, origin: OriginLoad | undefined): Judgement {
  if (median >= BUSY) {
    return {
      limit: 'origin',
      reason: `The target did ${percent(median)} of what the origin does alone: it can do more.`,
    };
  }
  const factor = (1 / median).toFixed(1);
  if (1 / median >= AMPLE) {
    return { limit: 'target', reason: `The origin alone does ${factor} times as much.` };
  }
  const advice = origin
    ? 'One of its workers may have been busy all the time.'
    : 'Start it with --metrics-enabled to know whether it was the limit.';
  return unknown(`The origin alone does ${factor} times as much. ${advice}`);
}

/** What the ratio of the sides can be. */
export interface Range {
  readonly median: number;
  /** 0 if a faster load generator may get more past the target. */
  readonly low: number;
  /** Null if it may get more through the target, or if that took the cores of this one. */
  readonly high: number | null;
}

/** The range of a ratio, open where it depends on the load generator. */
export function openRange(
  { median, low, high }: Estimate,
  { load, directBusy = 0 }: Measured,
): Range {
  const isOpen = load.busy >= NEARLY_BUSY || load.waited >= STARVED;
  return {
    median,
    low: directBusy >= NEARLY_BUSY ? 0 : low,
    high: isOpen || high === Infinity ? null : high,
  };
}

/** A note on the direct side; undefined unless the load generator was its limit. */
export function directNote({ load, directBusy }: Measured): string | undefined {
  if (directBusy === undefined || directBusy < NEARLY_BUSY) return undefined;
  const consequence =
    load.busy >= NEARLY_BUSY ? 'the ratio says nothing' : 'the ratio may be lower';
  return `Past the target, the load generator was busy for ${percent(directBusy)} of the time: ${consequence}.`;
}
