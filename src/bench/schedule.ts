/** Milliseconds before a request is due in which no timer is used: timers are late by up to that. */
const TIMER_SLACK = 2;

/** When the requests of a fixed rate are due. */
export class Schedule {
  readonly #start: number;
  readonly #interval: number;
  readonly count: number;

  /** @param start of the first request, in milliseconds @param rate in requests per second */
  constructor(start: number, rate: number, seconds: number) {
    this.#start = start;
    this.#interval = 1000 / rate;
    this.count = Math.max(1, Math.round(rate * seconds));
  }

  /** When a request is due, in milliseconds. @param number from 0 */
  dueAt(number: number): number {
    return this.#start + number * this.#interval;
  }

  /**
   * How long a timer may run before a request is due.
   *
   * @returns milliseconds, or 0 if only iterations of the event loop are exact enough
   */
  timerBefore(number: number, now: number): number {
    const left = this.dueAt(number) - now;
    return left > TIMER_SLACK ? Math.floor(left - TIMER_SLACK / 2) : 0;
  }
}
