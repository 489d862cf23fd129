/** Milliseconds after which connections are read even if further ones are being accepted. */
const MAX_WAIT = 1000;

/**
 * Detects bursts of new connections. libuv accepts one per iteration of the event loop, so iterations must be short
 * while more are in the backlog: accepted ones are not read until an iteration has accepted none.
 */
export class Arrivals {
  /** Number of connections accepted so far. An iteration in which it does not change has accepted none. */
  count = 0;
  #waiting: (() => void)[] = [];
  /** Whether a burst is in progress. Connections accepted during it are read after it. */
  #isBurst = false;

  /**
   * Call for each accepted connection. If each were read at once, those in the backlog would wait until all before them
   * were served.
   *
   * @param read called at once for the first connection of a burst, for others after the burst
   */
  add(read: () => void): void {
    this.count++;
    if (this.#isBurst) {
      this.#waiting.push(read);
      return;
    }
    this.#isBurst = true;
    this.#endIteration(performance.now() + MAX_WAIT, -1);
    read();
  }

  /** Ends the burst after an iteration without accepted connections. @param before `count` in the previous iteration */
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

/** Arrivals at all listeners, which share the event loop. */
export const arrivals = new Arrivals();
