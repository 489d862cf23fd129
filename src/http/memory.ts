import { Problem } from '../kit/problem.ts';
import type { Exchange } from './exchange.ts';

/** Octets of content, or of an answer that is there as a whole, from which on they are minded. */
export const LARGE = 64 * 1024;

/**
 * What large contents and the answers to them take, on however many connections they are. A client
 * that takes none of its answer holds it for `--stall-timeout`, and 2 MiB of NUL are 24 MiB of JSON.
 */
export class Memory {
  readonly #limit: number;
  #held = 0;

  /** @param limit in octets */
  constructor(limit: number) {
    this.#limit = limit;
  }

  /**
   * Counts octets until the exchange is over.
   *
   * @throws Problem overloaded
   */
  hold(exchange: Exchange, octets: number): void {
    if (this.#held + octets > this.#limit) {
      const detail = `clients hold all of the ${this.#limit} octets there are for large content`;
      throw new Problem('overloaded', detail, ['Retry-After', '1']);
    }
    if (exchange.gone.aborted) return;
    this.#held += octets;
    const { onOver } = exchange;
    exchange.onOver = () => {
      onOver?.();
      this.#held -= octets;
    };
  }
}
