import type { Endpoint } from './endpoint.ts';
import type { FaultName } from './fault.ts';
import type { Reply } from './reply.ts';
import type { Request } from './request.ts';

/** What --chaos does to a request. */
export type Disturbance =
  | { readonly kind: 'status'; readonly status: number }
  /** Seconds before the response of the endpoint. */
  | { readonly kind: 'delay'; readonly seconds: number }
  | { readonly kind: 'fault'; readonly name: FaultName };

export interface ChaosShare {
  /** Text as in the setting and in X-Chaos, such as `status=503`. */
  readonly text: string;
  /** Percentage of requests, 0 to 100. */
  readonly percent: number;
  readonly disturbance: Disturbance;
}

export interface ChaosOptions {
  /** Disturbances and their percentages, which add up to at most 100. */
  readonly shares: readonly ChaosShare[];
  /** Seed of the random numbers, an unsigned 32-bit integer. */
  readonly seed: number;
  /** Whether requests for this path may be disturbed. */
  readonly includes: (pattern: string, path: string) => boolean;
  /**
   * Makes a response with a status or a fault.
   *
   * @throws Problem fault-unavailable
   */
  readonly reply: (
    disturbance: Exclude<Disturbance, { kind: 'delay' }>,
    request: Request,
  ) => Reply | Promise<Reply>;
}

/**
 * Disturbs a percentage of the requests (--chaos). For each request that may be disturbed, one random number is drawn,
 * in order of arrival, so that the same seed gives the same sequence.
 */
export class Chaos {
  readonly reply: ChaosOptions['reply'];
  readonly #shares: readonly ChaosShare[];
  readonly #includes: ChaosOptions['includes'];
  readonly #random: () => number;
  readonly #disturbed = new WeakMap<Request, ChaosShare>();

  constructor({ shares, seed, includes, reply }: ChaosOptions) {
    this.reply = reply;
    this.#shares = shares;
    this.#includes = includes;
    this.#random = randomNumbers(seed);
  }

  /** Draws what happens to a request; undefined for nothing. Call once for each request. */
  draw(request: Request & { readonly endpoint: Endpoint | undefined }): Disturbance | undefined {
    const { endpoint, target } = request;
    if (!endpoint || !this.#includes(endpoint.path, target?.endpointPath ?? target?.path ?? ''))
      return undefined;
    let rest = this.#random() * 100;
    const share = this.#shares.find(({ percent }) => (rest -= percent) < 0);
    if (share) this.#disturbed.set(request, share);
    return share?.disturbance;
  }

  /** Call if the fault does not exist in the protocol. The request then counts as undisturbed, and is served. */
  spare(request: Request): void {
    this.#disturbed.delete(request);
  }

  /** How the response was disturbed; undefined if it was not. */
  shareOf(request: Request): ChaosShare | undefined {
    return this.#disturbed.get(request);
  }
}

/** Random numbers from 0 to below 1, from mulberry32, which gives the same sequence on every machine. */
function randomNumbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d_2b_79_f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** The seed of a worker. It differs from those of other workers, and is the same in every run. */
export function seedOf(seed: number, worker: number | undefined): number {
  return (seed + (worker ?? 0) * 0x9e_37_79_b9) >>> 0;
}
