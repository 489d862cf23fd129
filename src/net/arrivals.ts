/** Milliseconds after which connections are read although more are still accepted. */
const MAX_WAIT = 1000;

/**
 * Reads new connections when no more are accepted. libuv accepts one per iteration of the event loop: if
 * each were read at once, those in the backlog would wait until all before them are served.
 */
export class Arrivals {
  #waiting: (() => void)[] = [];
  /** Whether connections are being accepted, one after the other. */
  #isBurst = false;
  /** Whether one has been accepted in this iteration. */
  #isAccepting = false;

  /** @param read called at once for the first connection after an iteration without any */
  add(read: () => void): void {
    this.#isAccepting = true;
    if (this.#isBurst) {
      this.#waiting.push(read);
      return;
    }
    this.#isBurst = true;
    this.#endIteration(performance.now() + MAX_WAIT);
    read();
  }

  #endIteration(latest: number): void {
    setImmediate(() => {
      if (this.#isAccepting && performance.now() < latest) {
        this.#isAccepting = false;
        this.#endIteration(latest);
        return;
      }
      this.#isBurst = false;
      for (const read of this.#waiting.splice(0)) read();
    });
  }
}
