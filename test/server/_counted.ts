import type { PullSource, Repeatable } from '../../src/server/payload.ts';

/** A payload that counts the bytes read from it. */
export class CountingSource implements Repeatable {
  readonly kind = 'pulled';
  readonly length: number;
  readonly #most: number;
  taken = 0;

  constructor(length: number, most = Infinity) {
    this.length = length;
    this.#most = most;
  }

  next(size: number): Uint8Array | undefined {
    const bytes = Math.min(size, this.#most, this.length - this.taken);
    this.taken += bytes;
    return bytes > 0 ? new Uint8Array(bytes) : undefined;
  }

  fix(): () => PullSource {
    return () => new CountingSource(this.length, this.#most);
  }
}
