/** An event that any number of waiting functions await. */
export class Wakeup {
  #next: Promise<void> | undefined;
  #resolve: (() => void) | undefined;

  /** Resolves at the next call of `wake`. */
  wait(): Promise<void> {
    return (this.#next ??= new Promise((resolve) => {
      this.#resolve = resolve;
    }));
  }

  wake(): void {
    const resolve = this.#resolve;
    this.#next = undefined;
    this.#resolve = undefined;
    resolve?.();
  }
}
