/** Lets functions wait for a condition that is tested again after each event. */
export class Changes {
  readonly #watchers = new Set<() => void>();

  /** Call when something has changed. */
  notify(): void {
    for (const check of this.#watchers) check();
  }

  /**
   * Waits until the condition holds.
   *
   * @param time in milliseconds
   * @returns false if the time was over before
   */
  until(condition: () => boolean, time: number): Promise<boolean> {
    if (condition()) return Promise.resolve(true);
    return new Promise((resolve) => {
      const end = (held: boolean): void => {
        clearTimeout(timer);
        this.#watchers.delete(check);
        resolve(held);
      };
      const check = (): void => {
        if (condition()) end(true);
      };
      const timer = setTimeout(() => end(false), Math.max(0, time));
      this.#watchers.add(check);
    });
  }

  /**
   * As `until()`, for as long as there is progress within the time: what is slow is waited for, a stall is not.
   *
   * @param progress a number that grows
   */
  async untilStalled(
    condition: () => boolean,
    time: number,
    progress: () => number,
  ): Promise<boolean> {
    for (let before = -1; before < progress();) {
      before = progress();
      if (await this.until(condition, time)) return true;
    }
    return false;
  }
}
