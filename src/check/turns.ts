import { setTimeout as pause } from 'node:timers/promises';

/** Spaces requests evenly. */
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
}
