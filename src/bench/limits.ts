import { percent, STARVED } from './disturbance.ts';
import type { OriginLoad } from './origin-loop.ts';
import type { Estimate } from './ratio.ts';
import type { Limit } from './report/report.ts';

/** Share of the time from which on an event loop has no capacity left. */
export const BUSY = 0.9;
/** Increase of the waiting share under load through the target, from which on shared cores limit the result. */
export const CROWDING = 0.25;
/** Share of the time from which on a faster load generator might have changed the ratio. */
const NEARLY_BUSY = 0.8;
/** Speed of the origin relative to the target, from which on the target is certainly the limit. */
const AMPLE = 2;
/** Increase with twice as many connections, from which on their number was the limit. */
const GAIN = 1.1;

export interface Measured {
  /** Requests per second at full load through the target. */
  readonly requestsPerSecond: number;
  /** Load generator at full load: through the target, and below, on the direct side. */
  readonly load: { readonly busy: number; readonly waited: number };
  readonly directBusy: number | undefined;
  /** Increase of the waiting share through the target, if it runs on this machine. */
  readonly crowding: number;
  /** Share of the time in which any process of this machine waited for a core, if the target runs on it; otherwise 0. */
  readonly pressure: number;
  /** Requests per second through the target, divided by those of the direct side, with its 95 % interval. */
  readonly ratio: Estimate | undefined;
  /** Event loops of the origin at full load through the target; undefined if they cannot be read. */
  readonly origin: OriginLoad | undefined;
  /** Result with twice as many connections through the target; undefined if it was not measured. */
  readonly doubled: { readonly requestsPerSecond: number; readonly busy: number } | undefined;
}

/** The limit, and the reason for this judgement. */
export interface Judgement {
  readonly limit: Limit;
  readonly reason: string;
}

const unknown = (reason: string): Judgement => ({ limit: 'unknown', reason });

/** Determines the limit, as far as it is known. */
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
  if (crowding >= CROWDING) {
    return unknown(
      `Processes of this machine waited for a core for ${percent(crowding)} of the time more than past the target.`,
    );
  }
  const judgement = (origin && byLoops(origin)) ?? byRatio(ratio, origin);
  return judgement.limit === 'target' ? (refuted(measured, ratio) ?? judgement) : judgement;
}

/** Evidence that the target is not the limit; undefined without any. */
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
  // One of several workers may have been busy all the time.
  if (busy * loops >= BUSY) return undefined;
  return {
    limit: 'target',
    reason:
      loops === 1
        ? `The origin was busy for ${percent(busy)} of the time.`
        : `The ${loops} event loops of the origin were busy for ${percent(busy)} of the time.`,
  };
}

function byRatio({ value }: Estimate, origin: OriginLoad | undefined): Judgement {
  const factor = (1 / value).toFixed(1);
  if (1 / value >= AMPLE) {
    return { limit: 'target', reason: `The origin alone does ${factor} times as much.` };
  }
  const advice = origin
    ? 'One of its workers may have been busy all the time.'
    : 'Start it with --metrics-enabled to know whether it was the limit.';
  return unknown(`The origin alone does ${factor} times as much. ${advice}`);
}

/** What a load generator that was nearly the limit leaves open of the ratio of requests per second. */
export interface OpenEnds {
  /** A faster generator may get more from the baseline. */
  readonly low: boolean;
  /** A faster generator may get more through the target, or the target took its cores. */
  readonly high: boolean;
}

/** @param baseline what the target is compared with */
export function openEnds(
  target: Pick<Measured, 'load'>,
  baseline: Pick<Measured, 'load'> | undefined,
): OpenEnds {
  return {
    low: (baseline?.load.busy ?? 0) >= NEARLY_BUSY,
    high: target.load.busy >= NEARLY_BUSY || target.load.waited >= STARVED,
  };
}

/** Note on the direct side; undefined unless the load generator was its limit. */
export function directNote({ load, directBusy }: Measured): string | undefined {
  if (directBusy === undefined || directBusy < NEARLY_BUSY) return undefined;
  const consequence =
    load.busy >= NEARLY_BUSY ? 'the ratio says nothing' : 'the ratio may be lower';
  return `Past the target, the load generator was busy for ${percent(directBusy)} of the time: ${consequence}.`;
}
