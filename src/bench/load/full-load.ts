import { setTimeout as pause } from 'node:timers/promises';
import type { Slots } from './slots.ts';
import type { Tally } from './tally.ts';
import { watchThread, type ThreadLoad } from './thread-load.ts';

/** Milliseconds after a failed request, because a closed port would otherwise be tried in an endless loop. */
const PAUSE = 10;

export interface LoadTimes {
  readonly seconds: number;
  /** Seconds at the beginning that are not measured. */
  readonly warmUp: number;
  /** Ends the load. */
  readonly signal: AbortSignal;
}

export interface FullLoad extends ThreadLoad {
  readonly requestsPerSecond: number;
}

/** A closed loop: each slot sends its next request when it has received the response. */
export async function fullLoad(
  slots: Slots,
  tally: Tally,
  { seconds, warmUp, signal }: LoadTimes,
): Promise<FullLoad> {
  let isOver = false;
  let completed = 0;
  for (const slot of slots.all) {
    // One closure for all requests of the slot.
    const done = (failure: string | undefined): void => {
      tally.count(failure);
      if (failure === undefined) {
        completed++;
        next();
      } else setTimeout(next, PAUSE);
    };
    const next = (): void => {
      if (!isOver) slot.send(performance.now(), done);
    };
    next();
  }
  try {
    await pause(warmUp * 1000, undefined, { signal });
    const [thread, time, before] = [watchThread(), performance.now(), completed];
    await pause(seconds * 1000, undefined, { signal });
    return {
      requestsPerSecond: ((completed - before) * 1000) / (performance.now() - time),
      ...thread(),
    };
  } finally {
    isOver = true;
  }
}
