/** Milliseconds between two looks at the state. */
const INTERVAL = 100;

/** Waits for changes of a state that has no events. One timer looks at it for all that wait. */
export class Changes<State> {
  readonly #current: () => State;
  readonly #waiting = new Set<() => void>();
  /** The state that those who wait have seen. */
  #seen: State | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(current: () => State) {
    this.#current = current;
  }

  /** Resolves when the state is not the one that was seen, or the signal aborts. */
  async after(seen: State, signal: AbortSignal): Promise<void> {
    if (this.#current() !== seen || signal.aborted) return;
    // The state has changed since the others began to wait.
    if (this.#seen !== seen) this.#wakeAll();
    this.#seen = seen;
    this.#timer ??= setInterval(() => this.#look(), INTERVAL).unref();
    await new Promise<void>((resolve) => {
      const done = (): void => {
        signal.removeEventListener('abort', done);
        this.#waiting.delete(done);
        resolve();
      };
      signal.addEventListener('abort', done);
      this.#waiting.add(done);
    });
  }

  #wakeAll(): void {
    for (const done of this.#waiting) done();
  }

  #look(): void {
    if (this.#current() !== this.#seen) this.#wakeAll();
    if (this.#waiting.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}
