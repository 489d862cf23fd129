import { Problem } from '../http/problem.ts';
import type { Exchange } from './exchange.ts';

/** Bytes of content, or of an answer that is there as a whole, from which on they are minded. */
export const LARGE_CONTENT = 64 * 1024;

/** Bytes that a response holds while it waits for its client, from which on they are counted. */
export const MIN_COUNTED_SIZE = 16 * 1024;

/**
 * What large contents and the answers to them take, on however many connections they are. A client
 * that takes none of its answer holds it for `--stall-timeout`, and 2 MiB of NUL are 24 MiB of JSON.
 */
export class MemoryBudget {
  readonly #limit: number;
  #held = 0;

  /** @param limit in bytes */
  constructor(limit: number) {
    this.#limit = limit;
  }

  /** @throws Problem overloaded */
  take(bytes: number): void {
    if (this.#held + bytes > this.#limit) {
      const detail = `clients hold all of the ${this.#limit} bytes there are for large content`;
      throw new Problem('overloaded', detail, ['Retry-After', '1']);
    }
    this.#held += bytes;
  }

  release(bytes: number): void {
    this.#held -= bytes;
  }
}

/** What an exchange holds of the memory, from before it is over. */
export class MemoryReservation {
  readonly #memory: MemoryBudget;
  #bytes = 0;
  #isOver = false;
  #isInUse = false;

  constructor(memory: MemoryBudget, exchange: Exchange) {
    this.#memory = memory;
    const { onFinished: onOver } = exchange;
    exchange.onFinished = () => {
      onOver?.();
      this.#isOver = true;
      this.#release();
    };
  }

  /** @throws Problem overloaded */
  add(bytes: number): void {
    this.#memory.take(bytes);
    this.#bytes += bytes;
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
    this.#memory.release(this.#bytes);
    this.#bytes = 0;
  }
}
