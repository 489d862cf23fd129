import { setTimeout as pause } from 'node:timers/promises';
import type { Slot } from './lane.ts';
import type { Slots } from './slots.ts';
import type { Tally } from './tally.ts';

/** Milliseconds after a failed request: a closed port would be asked without end. */
const PAUSE = 10;

export interface LoadTimes {
  readonly seconds: number;
  /** Seconds before that which are not measured. */
  readonly warmUp: number;
  /** Ends the load. */
  readonly signal: AbortSignal;
}

export interface FullLoad {
  readonly requestsPerSecond: number;
  /** The share of the time in which the event loop of this process was busy. */
  readonly busy: number;
}

/** A closed loop: each slot sends its next request when it has the response. */
export async function fullLoad(
  slots: Slots,
  tally: Tally,
  { seconds, warmUp, signal }: LoadTimes,
): Promise<FullLoad> {
  let isOver = false;
  let completed = 0;
  const next = (slot: Slot): void => {
    if (isOver) return;
    slot.send(performance.now(), (failure) => {
      tally.count(failure);
      if (failure === undefined) {
        completed++;
        next(slot);
      } else setTimeout(next, PAUSE, slot);
    });
  };
  for (const slot of slots.all) next(slot);
  try {
    await pause(warmUp * 1000, undefined, { signal });
    const [loop, time, before] = [performance.eventLoopUtilization(), performance.now(), completed];
    await pause(seconds * 1000, undefined, { signal });
    return {
      requestsPerSecond: ((completed - before) * 1000) / (performance.now() - time),
      busy: performance.eventLoopUtilization(loop).utilization,
    };
  } finally {
    isOver = true;
  }
}
