import type { Connection } from './connection.ts';

/**
 * Calls a function once a connection has been idle for a given time, precise to the millisecond. The time is checked at
 * intervals, so that requests need no timers; only a connection whose time ends before the next check gets one.
 */
export class IdleTimer {
  readonly #connection: Pick<Connection, 'idleFor'>;
  readonly #duration: number;
  readonly #interval: number;
  readonly #onIdle: () => void;
  #isScheduled = false;

  /**
   * @param duration in milliseconds
   * @param interval between checks, in milliseconds; at most `duration`
   * @param onIdle called at each check from the end of the duration on
   */
  constructor(
    connection: Pick<Connection, 'idleFor'>,
    duration: number,
    interval: number,
    onIdle: () => void,
  ) {
    this.#connection = connection;
    this.#duration = duration;
    this.#interval = interval;
    this.#onIdle = onIdle;
  }

  /** Call at intervals. @param now from performance.now() */
  check(now: number): void {
    const left = this.#duration - this.#connection.idleFor(now);
    if (left <= 0) this.#onIdle();
    // Two intervals, because the next check may be late.
    else if (left < 2 * this.#interval && !this.#isScheduled) this.#checkAfter(left);
  }

  #checkAfter(milliseconds: number): void {
    this.#isScheduled = true;
    setTimeout(() => {
      this.#isScheduled = false;
      this.check(performance.now());
    }, Math.ceil(milliseconds)).unref();
  }
}
