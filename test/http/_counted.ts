import type { Pulled } from '../../src/http/payload.ts';

/** A payload that counts what is asked of it. */
export class Counted implements Pulled {
  readonly kind = 'pulled';
  readonly length: number;
  readonly #most: number;
  taken = 0;

  constructor(length: number, most = Infinity) {
    this.length = length;
    this.#most = most;
  }

  next(size: number): Uint8Array | undefined {
    const octets = Math.min(size, this.#most, this.length - this.taken);
    this.taken += octets;
    return octets > 0 ? new Uint8Array(octets) : undefined;
  }
}
