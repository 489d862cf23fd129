/** Milliseconds after which connections are read although more are still accepted. */
const MAX_WAIT = 1000;
/** Milliseconds after a connection was accepted in which more are likely to wait. */
const RECENT = 50;

/**
 * Connections that are accepted. libuv accepts one per iteration of the event loop, so that iterations have to be
 * short while more are in the backlog: others wait until a connection has been accepted in none.
 */
export class Arrivals {
  /** Connections accepted so far: an iteration in which it does not change has accepted none. */
  count = 0;
  #waiting: (() => void)[] = [];
  /** Whether connections are being accepted, one after the other. */
  #isBurst = false;
  #lastAt = -RECENT;

  /**
   * Call for each connection that is accepted. If each were read at once, those in the backlog would wait until
   * all before them are served.
   *
   * @param read called at once for the first connection after an iteration without any
   */
  add(read: () => void): void {
    this.count++;
    this.#lastAt = performance.now();
    if (this.#isBurst) {
      this.#waiting.push(read);
      return;
    }
    this.#isBurst = true;
    this.#endIteration(this.#lastAt + MAX_WAIT, -1);
    read();
  }

  /** Whether connections have been accepted lately. @param now from performance.now() */
  areRecent(now: number): boolean {
    return now - this.#lastAt < RECENT;
  }

  /** @param before `count` in the iteration before */
  #endIteration(latest: number, before: number): void {
    setImmediate(() => {
      const { count } = this;
      if (count !== before && performance.now() < latest) {
        this.#endIteration(latest, count);
        return;
      }
      this.#isBurst = false;
      for (const read of this.#waiting.splice(0)) read();
    });
  }
}

/** Those of all listeners, which share the event loop. */
export const arrivals = new Arrivals();
