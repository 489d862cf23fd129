/** What became of the requests of a side. */
export class Tally {
  #requests = 0;
  readonly #errors = new Map<string, number>();

  get requests(): number {
    return this.#requests;
  }

  /** How many failed, by reason. */
  get errors(): Readonly<Record<string, number>> {
    return Object.fromEntries(this.#errors);
  }

  /** @param failure undefined for a request that did not fail */
  count(failure: string | undefined): void {
    this.#requests++;
    if (failure !== undefined) this.#errors.set(failure, (this.#errors.get(failure) ?? 0) + 1);
  }
}
