import type { Exchange } from './exchange.ts';
import type { FaultName } from './fault.ts';
import type { Reply } from './reply.ts';

/** What happens to a request by chance. */
export type Disturbance =
  | { readonly kind: 'status'; readonly status: number }
  /** Before the response of the endpoint. */
  | { readonly kind: 'delay'; readonly seconds: number }
  | { readonly kind: 'fault'; readonly name: FaultName };

export interface ChaosShare {
  /** As in the setting and in X-Chaos, such as `status=503`. */
  readonly text: string;
  /** Of the requests, 0 to 100. */
  readonly percent: number;
  readonly disturbance: Disturbance;
}

export interface ChaosOptions {
  /** At most 100% in all. */
  readonly shares: readonly ChaosShare[];
  /** A 32-bit number. */
  readonly seed: number;
  /** Whether requests for this path are disturbed at all. */
  readonly includes: (pattern: string, path: string) => boolean;
  /**
   * The response to a request that gets a status or a fault.
   *
   * @throws Problem fault-unavailable
   */
  readonly reply: (
    disturbance: Exclude<Disturbance, { kind: 'delay' }>,
    exchange: Exchange,
  ) => Reply | Promise<Reply>;
}

/**
 * Disturbs a share of the requests (--chaos). One random number is drawn for each request that can be
 * disturbed, in the order of their arrival, so that the same seed gives the same sequence.
 */
export class Chaos {
  readonly reply: ChaosOptions['reply'];
  readonly #shares: readonly ChaosShare[];
  readonly #includes: ChaosOptions['includes'];
  readonly #random: () => number;
  readonly #disturbed = new WeakMap<Exchange, ChaosShare>();

  constructor({ shares, seed, includes, reply }: ChaosOptions) {
    this.reply = reply;
    this.#shares = shares;
    this.#includes = includes;
    this.#random = randomNumbers(seed);
  }

  /** What happens to the request; undefined if nothing does. Call once for each. */
  draw(exchange: Exchange): Disturbance | undefined {
    const { endpoint, target } = exchange;
    if (!endpoint || !this.#includes(endpoint.path, target?.path ?? '')) return undefined;
    let rest = this.#random() * 100;
    const share = this.#shares.find(({ percent }) => (rest -= percent) < 0);
    if (share) this.#disturbed.set(exchange, share);
    return share?.disturbance;
  }

  /** Call if the protocol lacks the fault: the request is served as usual. */
  spare(exchange: Exchange): void {
    this.#disturbed.delete(exchange);
  }

  /** How the response was disturbed; undefined if it was not. */
  shareOf(exchange: Exchange): ChaosShare | undefined {
    return this.#disturbed.get(exchange);
  }
}

/** Numbers from 0 to below 1: mulberry32, which is the same on every machine. */
function randomNumbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d_2b_79_f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** The seed of a worker: another sequence for each, which is the same in every run. */
export function seedOf(seed: number, worker: number | undefined): number {
  return (seed + (worker ?? 0) * 0x9e_37_79_b9) >>> 0;
}
