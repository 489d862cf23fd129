/** Reasons that are counted by name: a target can make up error codes without end. */
const MAX_REASONS = 20;
const OTHER = 'other failures';

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
    if (failure === undefined) return;
    const isNamed = this.#errors.has(failure) || this.#errors.size < MAX_REASONS;
    const reason = isNamed ? failure : OTHER;
    this.#errors.set(reason, (this.#errors.get(reason) ?? 0) + 1);
  }
}
