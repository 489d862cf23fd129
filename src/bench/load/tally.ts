/** Number of reasons that are counted by name, because a target may invent any number of error codes. */
const MAX_REASONS = 20;
const OTHER = 'other failures';

/** Numbers of requests and of failures by reason. */
export interface Counts {
  readonly requests: number;
  readonly errors: Readonly<Record<string, number>>;
}

/** Counts the results of the requests of a side. */
export class Tally implements Counts {
  #requests = 0;
  readonly #errors = new Map<string, number>();

  get requests(): number {
    return this.#requests;
  }

  /** Number of failed requests by reason. */
  get errors(): Readonly<Record<string, number>> {
    return Object.fromEntries(this.#errors);
  }

  /** @param failure undefined for a successful request */
  count(failure: string | undefined): void {
    this.#requests++;
    if (failure !== undefined) this.#fail(failure, 1);
  }

  /** Adds the results of another part of the load. */
  add({ requests, errors }: Counts): void {
    this.#requests += requests;
    for (const [reason, count] of Object.entries(errors)) this.#fail(reason, count);
  }

  #fail(failure: string, count: number): void {
    const isNamed = this.#errors.has(failure) || this.#errors.size < MAX_REASONS;
    const reason = isNamed ? failure : OTHER;
    this.#errors.set(reason, (this.#errors.get(reason) ?? 0) + count);
  }
}
