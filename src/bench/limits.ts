import type { OriginLoad } from './origin-loop.ts';

/** From this share of the time on, an event loop has no room left. */
const BUSY = 0.9;
/** The origin alone is so many times as fast as the target if the target is the limit for sure. */
const AMPLE = 2;

/** What limited the requests per second. */
export const LIMITS = ['load', 'origin', 'target', 'unknown'] as const;
export type Limit = (typeof LIMITS)[number];

export interface Measured {
  /** At full load through the target. */
  readonly requestsPerSecond: number;
  /** How busy the load generator was at full load, from 0 to 1: through the target, and past it. */
  readonly loadBusy: number;
  readonly directBusy: number | undefined;
  /** Requests per second through the target as a share of those past it. */
  readonly ratio: number | undefined;
  /** The event loops of the origin at full load through the target; undefined if they cannot be read. */
  readonly origin: OriginLoad | undefined;
}

/** A limit, and how it is known. */
export interface Judgement {
  readonly limit: Limit;
  readonly reason: string;
}

/** Names the limit if it is known. */
export function judgeLimit(measured: Measured): Judgement {
  const { requestsPerSecond, loadBusy, directBusy, ratio, origin } = measured;
  if (requestsPerSecond === 0) return { limit: 'unknown', reason: 'No request was successful.' };
  if (loadBusy >= BUSY) {
    return {
      limit: 'load',
      reason: `The load generator was busy for ${percent(loadBusy)} of the time: the target can do more.`,
    };
  }
  if (directBusy === undefined) {
    const reason = 'Only with --direct is it known whether the origin was the limit.';
    return { limit: 'unknown', reason };
  }
  if (ratio === undefined) {
    return { limit: 'unknown', reason: 'No request past the target was successful.' };
  }
  return (origin && byLoops(origin)) ?? byRatio(ratio, origin);
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

function byRatio(ratio: number, origin: OriginLoad | undefined): Judgement {
  if (ratio >= BUSY) {
    return {
      limit: 'origin',
      reason: `The target did ${percent(ratio)} of what the origin does alone: it can do more.`,
    };
  }
  const factor = (1 / ratio).toFixed(1);
  if (1 / ratio >= AMPLE) {
    return { limit: 'target', reason: `The origin alone does ${factor} times as much.` };
  }
  const advice = origin
    ? 'One of its workers may have been busy all the time.'
    : 'Start it with --metrics-enabled to know whether it was the limit.';
  return { limit: 'unknown', reason: `The origin alone does ${factor} times as much. ${advice}` };
}

/**
 * Whether the ratio is at least that which was measured: the target can do more.
 *
 * @param directBusy how busy the load generator was past the target, which can do more too if that was the limit
 */
export function isLowerBound(limit: Limit, directBusy: number): boolean {
  return (limit === 'load' || limit === 'origin') && directBusy < BUSY;
}

/** A note on the direct side; undefined unless the load generator was its limit. */
export function directNote({ directBusy }: Measured): string | undefined {
  return directBusy === undefined || directBusy < BUSY
    ? undefined
    : `Past the target, the load generator was busy for ${percent(directBusy)} of the time: the ratio may be lower.`;
}

const percent = (share: number): string => `${Math.round(share * 100)} %`;
