import { setTimeout as pause } from 'node:timers/promises';

/** Limits the average rate of new connections and requests. */
export class Turns {
  readonly #interval: number;
  #next = 0;

  /** @param interval in milliseconds */
  constructor(interval: number) {
    this.#interval = interval;
  }

  /** Waits for the next turn. */
  async next(): Promise<void> {
    const now = performance.now();
    const at = Math.max(now, this.#next);
    this.#next = at + this.#interval;
    if (at > now) await pause(at - now);
  }

  /** Takes a turn without waiting. The following `next()` waits longer instead. */
  spend(): void {
    this.#next = Math.max(performance.now(), this.#next) + this.#interval;
  }
}
