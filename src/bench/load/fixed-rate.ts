import type { Latencies } from '../latencies.ts';
import { Schedule } from '../schedule.ts';
import { TIMEOUT } from './connection.ts';
import type { LoadTimes } from './full-load.ts';
import type { Slot } from './lane.ts';
import type { Slots } from './slots.ts';
import type { Tally } from './tally.ts';

/**
 * An open loop: requests are sent when they are due, however long the others take. Latencies count from then, also
 * of requests that had to wait for a slot.
 */
export class FixedRate {
  readonly #schedule: Schedule;
  /** The requests of the warm-up come first. */
  readonly #firstMeasured: number;
  readonly #free: Slot[];
  readonly #tally: Tally;
  readonly #latencies: Latencies;
  readonly #timeout: number;
  #next = 0;
  #timer: NodeJS.Timeout | undefined;
  #immediate: NodeJS.Immediate | undefined;
  #onSent: (() => void) | undefined;

  /**
   * @param rate in requests per second
   * @param timeout of a request, in milliseconds
   */
  constructor(
    slots: Slots,
    tally: Tally,
    latencies: Latencies,
    {
      rate,
      timeout,
      seconds,
      warmUp,
    }: Omit<LoadTimes, 'signal'> & { rate: number; timeout: number },
  ) {
    this.#schedule = new Schedule(performance.now(), rate, seconds + warmUp);
    this.#firstMeasured = Math.min(Math.round(rate * warmUp), this.#schedule.count - 1);
    this.#free = [...slots.all];
    this.#tally = tally;
    this.#latencies = latencies;
    this.#timeout = timeout;
  }

  /** @returns a promise that is fulfilled once all requests are sent */
  async run(signal: AbortSignal): Promise<void> {
    const stop = (): void => this.#stop();
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
  }

  /** Sends what is due, and comes again when more is. */
  readonly #send = (): void => {
    this.#immediate = undefined;
    this.#timer = undefined;
    const schedule = this.#schedule;
    const now = performance.now();
    while (this.#next < schedule.count && schedule.dueAt(this.#next) <= now) {
      const due = schedule.dueAt(this.#next);
      const isLate = now - due > this.#timeout;
      const slot = isLate ? undefined : this.#free.pop();
      // A client would have waited for its turn, and given up.
      if (isLate) this.#tally.count(TIMEOUT);
      // The next slot that gets free comes here.
      else if (!slot) return;
      else this.#sendOn(slot, now, due, this.#next >= this.#firstMeasured);
      this.#next++;
    }
    if (this.#next === schedule.count) this.#stop();
    else this.#scheduleNext(now);
  };

  #scheduleNext(now: number): void {
    const wait = this.#schedule.timerBefore(this.#next, now);
    if (wait > 0) this.#timer = setTimeout(this.#send, wait);
    else this.#immediate = setImmediate(this.#send);
  }

  #sendOn(slot: Slot, now: number, due: number, isMeasured: boolean): void {
    slot.send(now, (failure) => {
      this.#tally.count(failure);
      if (failure === undefined && isMeasured) this.#latencies.record(performance.now() - due);
      this.#free.push(slot);
      const isWaiting = this.#timer === undefined && this.#immediate === undefined;
      if (isWaiting && this.#onSent) this.#send();
    });
  }

  #stop(): void {
    clearTimeout(this.#timer);
    if (this.#immediate) clearImmediate(this.#immediate);
    const onSent = this.#onSent;
    this.#onSent = undefined;
    onSent?.();
  }
}
