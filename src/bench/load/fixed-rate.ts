import type { RecordableHistogram } from 'node:perf_hooks';
import { Latencies } from '../latencies.ts';
import { Schedule } from '../schedule.ts';
import { TIMEOUT } from './load-connection.ts';
import type { LoadTimes } from './generator.ts';
import type { Slot } from './lane.ts';
import type { Tally } from './tally.ts';
import { watchThread, type ThreadUse } from './thread-load.ts';

/** A slot: sends one request at a time. */
type Sender = Pick<Slot, 'send'>;

/**
 * Called for each request when it is over.
 *
 * @param due when it was to be sent, by `performance.now()`: its latency counts from there
 * @param end when it was over
 * @param failure why it failed; undefined if it succeeded
 * @param isMeasured false during the warm-up
 */
export type OnResult = (
  due: number,
  end: number,
  failure: string | undefined,
  isMeasured: boolean,
) => void;

/** Counts requests, and records the latencies of those that are measured. */
export function recordIn(tally: Tally, latencies: Latencies): OnResult {
  return (due, end, failure, isMeasured) => {
    tally.count(failure);
    if (failure === undefined && isMeasured) latencies.record(end - due);
  };
}

/** How a thread sent the requests of a fixed rate. */
export interface ThreadRateLoad {
  /** Number of requests, and of those that waited for a slot. */
  readonly count: number;
  readonly queued: number;
  /** How late measured requests were sent that did not wait for a slot, as of `Latencies`. */
  readonly lag: RecordableHistogram;
  /** Requests that were sent, and responded to or failed in the measured time, and that time in milliseconds. */
  readonly completed: number;
  readonly milliseconds: number;
  readonly use: ThreadUse;
}

/**
 * An open loop: requests are sent when they are due, regardless of the duration of others. Latencies count from the due
 * time, even if a request waited for a slot.
 */
export class FixedRate {
  readonly #schedule: Schedule;
  /** Number of the first request after the warm-up. */
  readonly #firstMeasured: number;
  readonly #free: Sender[];
  readonly #onResult: OnResult;
  readonly #lag = new Latencies();
  readonly #timeout: number;
  /** The measured time: up to when the last request is due. */
  readonly #from: number;
  readonly #to: number;
  #completed = 0;
  #next = 0;
  #queued = 0;
  #isFull = false;
  #timer: NodeJS.Timeout | undefined;
  #immediate: NodeJS.Immediate | undefined;
  #onSent: (() => void) | undefined;

  /**
   * @param rate in requests per second
   * @param offset of the first request, in milliseconds
   * @param timeout of a request, in milliseconds
   */
  constructor(
    slots: { readonly all: readonly Sender[] },
    onResult: OnResult,
    {
      rate,
      offset = 0,
      timeout,
      seconds,
      warmUp,
    }: LoadTimes & { rate: number; offset?: number; timeout: number },
  ) {
    this.#schedule = new Schedule(performance.now() + offset, rate, seconds + warmUp);
    this.#firstMeasured = Math.min(Math.round(rate * warmUp), this.#schedule.count - 1);
    this.#from = this.#schedule.dueAt(this.#firstMeasured);
    this.#to = this.#schedule.dueAt(this.#schedule.count - 1);
    this.#free = [...slots.all];
    this.#onResult = onResult;
    this.#timeout = timeout;
  }

  /** @returns a promise that is fulfilled when all requests were sent, or after `stop()` */
  async run(signal: AbortSignal): Promise<ThreadRateLoad> {
    const thread = watchThread();
    const stop = (): void => this.stop();
    signal.addEventListener('abort', stop, { once: true });
    try {
      await new Promise<void>((resolve) => {
        this.#onSent = resolve;
        this.#send();
      });
    } finally {
      signal.removeEventListener('abort', stop);
    }
    signal.throwIfAborted();
    return {
      count: this.#schedule.count,
      queued: this.#queued,
      lag: this.#lag.histogram,
      completed: this.#completed,
      milliseconds: this.#to - this.#from,
      use: thread(),
    };
  }

  /** Sends requests that are due, and schedules the next call. */
  readonly #send = (): void => {
    this.#immediate = undefined;
    this.#timer = undefined;
    const schedule = this.#schedule;
    const now = performance.now();
    const wasFull = this.#isFull;
    this.#isFull = false;
    while (this.#next < schedule.count && schedule.dueAt(this.#next) <= now) {
      const due = schedule.dueAt(this.#next);
      const isTooLate = wasFull && now - due > this.#timeout;
      const slot = isTooLate ? undefined : this.#free.pop();
      // Continued when a slot becomes free.
      if (!isTooLate && !slot) {
        this.#isFull = true;
        return;
      }
      const isMeasured = this.#next >= this.#firstMeasured;
      if (wasFull) this.#queued++;
      else if (isMeasured) this.#lag.record(performance.now() - due);
      // The request counts as timed out, because it waited for too long.
      if (!slot) this.#onResult(due, now, TIMEOUT, isMeasured);
      // The time limit counts from when it was due, unless the load generator itself was late.
      else this.#sendOn(slot, wasFull ? due : now, due, isMeasured);
      this.#next++;
    }
    if (this.#next === schedule.count) this.stop();
    else this.#scheduleNext(now);
  };

  #scheduleNext(now: number): void {
    const wait = this.#schedule.timerBefore(this.#next, now);
    if (wait > 0) this.#timer = setTimeout(this.#send, wait);
    else this.#immediate = setImmediate(this.#send);
  }

  #sendOn(slot: Sender, since: number, due: number, isMeasured: boolean): void {
    slot.send(since, (failure) => {
      const end = performance.now();
      if (end >= this.#from && end < this.#to) this.#completed++;
      this.#onResult(due, end, failure, isMeasured);
      this.#free.push(slot);
      const isWaiting = this.#timer === undefined && this.#immediate === undefined;
      if (isWaiting && this.#onSent) this.#send();
    });
  }

  /** Sends no further request. */
  stop(): void {
    clearTimeout(this.#timer);
    if (this.#immediate) clearImmediate(this.#immediate);
    const onSent = this.#onSent;
    this.#onSent = undefined;
    onSent?.();
  }
}
