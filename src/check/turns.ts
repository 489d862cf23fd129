import { setTimeout as pause } from 'node:timers/promises';

/** Keeps the average rate of connections and requests below a limit. */
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

  /** Takes a turn at once; the next one waits longer for it. */
  spend(): void {
    this.#next = Math.max(performance.now(), this.#next) + this.#interval;
  }
}
