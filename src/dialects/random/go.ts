import { TABLE } from './go-table.ts';

const LENGTH = 607;
const TAP = 273;
/** Modulus of the generator that expands the seed (Park and Miller, multiplier 48271). */
const M31 = 2 ** 31 - 1;

/**
 * Go's `math/rand` (not v2): an additive lagged Fibonacci generator with 64 bits (Mitchell and Moore; Knuth volume 2,
 * 3.2.2), `x[n] = x[n-607] + x[n-273]`.
 */
export class GoRandom {
  /** Two halves of each word: low, high, low, high… */
  readonly #state = new Uint32Array(2 * LENGTH);
  #feed = LENGTH - TAP;
  #tap = 0;

  /** @param seed 64 bits, signed */
  constructor(seed: bigint) {
    const rest = Number(((seed % BigInt(M31)) + BigInt(M31)) % BigInt(M31));
    let x = rest === 0 ? 89_482_311 : rest;
    const next = (): number => (x = (x * 48_271) % M31);
    for (let skipped = 0; skipped < 20; skipped++) next();
    for (let at = 0; at < 2 * LENGTH; at += 2) {
      const [first, second, third] = [next(), next(), next()];
      // first << 40 ^ second << 20 ^ third
      this.#state[at] = (TABLE[at] ?? 0) ^ (second << 20) ^ third;
      this.#state[at + 1] = (TABLE[at + 1] ?? 0) ^ (first << 8) ^ (second >>> 12);
    }
  }

  /** Generates the next word, and returns its index in the state. */
  #step(): number {
    this.#tap = (this.#tap || LENGTH) - 1;
    this.#feed = (this.#feed || LENGTH) - 1;
    const [from, to] = [2 * this.#tap, 2 * this.#feed];
    const state = this.#state;
    const low = (state[to] ?? 0) + (state[from] ?? 0);
    state[to] = low;
    state[to + 1] = (state[to + 1] ?? 0) + (state[from + 1] ?? 0) + (low >= 2 ** 32 ? 1 : 0);
    return to;
  }

  /** Go's `Intn(256)`: the lowest byte of the high half. */
  byte(): number {
    return (this.#state[this.#step() + 1] ?? 0) & 0xff;
  }

  /** Go's `Float64`, from 0 to below 1: the lowest 63 bits, drawn again if they round to 1. */
  fraction(): number {
    for (;;) {
      const at = this.#step();
      const high = (this.#state[at + 1] ?? 0) & 0x7fff_ffff;
      const fraction = (high * 2 ** 32 + (this.#state[at] ?? 0)) / 2 ** 63;
      if (fraction < 1) return fraction;
    }
  }
}
