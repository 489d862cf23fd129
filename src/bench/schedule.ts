/** Milliseconds before a due time in which no timer is used, because timers may be that late. */
const TIMER_SLACK = 2;

/** Due times of the requests at a fixed rate. */
export class Schedule {
  readonly #start: number;
  readonly #interval: number;
  readonly count: number;

  /** @param start due time of the first request, in milliseconds @param rate in requests per second */
  constructor(start: number, rate: number, seconds: number) {
    this.#start = start;
    this.#interval = 1000 / rate;
    this.count = Math.max(1, Math.round(rate * seconds));
  }

  /** Due time of a request in milliseconds. @param number from 0 */
  dueAt(number: number): number {
    return this.#start + number * this.#interval;
  }

  /**
   * Milliseconds for which a timer may wait for the request to become due.
   *
   * @returns 0 if only iterations of the event loop are exact enough
   */
  timerBefore(number: number, now: number): number {
    const left = this.dueAt(number) - now;
    return left > TIMER_SLACK ? Math.floor(left - TIMER_SLACK / 2) : 0;
  }
}
