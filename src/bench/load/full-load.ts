import { setTimeout as pause } from 'node:timers/promises';
import type { LoadTimes } from './generator.ts';
import type { Slots } from './slots.ts';
import type { Tally } from './tally.ts';
import { watchThread, type ThreadUse } from './thread-load.ts';

/** Milliseconds after a failed request, because a closed port would otherwise be tried in an endless loop. */
const PAUSE = 10;

/** What a thread did at full load. */
export interface ThreadFullLoad {
  readonly requestsPerSecond: number;
  readonly use: ThreadUse;
}

/** A closed loop: each slot sends its next request when it has received the response. */
export async function fullLoad(
  slots: Slots,
  tally: Tally,
  { seconds, warmUp, signal }: LoadTimes & { readonly signal: AbortSignal },
): Promise<ThreadFullLoad> {
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
      use: thread(),
    };
  } finally {
    isOver = true;
  }
}
