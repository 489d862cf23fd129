import { Problem } from '../kit/problem.ts';
import type { Exchange } from './exchange.ts';

/** Octets of content, or of an answer that is there as a whole, from which on they are minded. */
export const LARGE = 64 * 1024;

/** Bytes that a response holds while it waits for its client, from which on they are counted. */
export const COUNTED = 16 * 1024;

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

  /** @throws Problem overloaded */
  take(octets: number): void {
    if (this.#held + octets > this.#limit) {
      const detail = `clients hold all of the ${this.#limit} octets there are for large content`;
      throw new Problem('overloaded', detail, ['Retry-After', '1']);
    }
    this.#held += octets;
  }

  release(octets: number): void {
    this.#held -= octets;
  }
}

/** What an exchange holds of the memory, from before it is over. */
export class Holding {
  readonly #memory: Memory;
  #octets = 0;
  #isOver = false;
  #isInUse = false;

  constructor(memory: Memory, exchange: Exchange) {
    this.#memory = memory;
    const { onOver } = exchange;
    exchange.onOver = () => {
      onOver?.();
      this.#isOver = true;
      this.#release();
    };
  }

  /** @throws Problem overloaded */
  add(octets: number): void {
    this.#memory.take(octets);
    this.#octets += octets;
  }

  /** Keeps it until the work is done too: a client may go while a thread still has its content. */
  async during<T>(work: () => Promise<T>): Promise<T> {
    this.#isInUse = true;
    try {
      return await work();
    } finally {
      this.#isInUse = false;
      this.#release();
    }
  }

  #release(): void {
    if (!this.#isOver || this.#isInUse) return;
    this.#memory.release(this.#octets);
    this.#octets = 0;
  }
}
