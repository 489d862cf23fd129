const LENGTH = 624;
const SHIFT = 397;

/** MT19937 (Matsumoto and Nishimura 1998), seeded and read like in Python's `random`. */
export class PythonRandom {
  readonly #state = new Uint32Array(LENGTH);
  #index = LENGTH;

  /** @param seed its sign is ignored, as in Python */
  constructor(seed: bigint) {
    this.#seedByArray(uint32Words(seed < 0n ? -seed : seed));
  }

  /** Python's `randint(0, 255)`: draws 9 bits until they are below 256. */
  byte(): number {
    for (;;) {
      const bits = this.#word() >>> 23;
      if (bits < 256) return bits;
    }
  }

  /** `init_by_array` of the reference implementation. */
  #seedByArray(key: readonly number[]): void {
    const state = this.#state;
    const mix = (at: number, factor: number): number => {
      const before = state[at - 1] ?? 0;
      return (state[at] ?? 0) ^ Math.imul(before ^ (before >>> 30), factor);
    };
    state[0] = 19_650_218;
    for (let at = 1; at < LENGTH; at++) {
      const before = state[at - 1] ?? 0;
      state[at] = Math.imul(1_812_433_253, before ^ (before >>> 30)) + at;
    }
    let at = 1;
    const advance = (): void => {
      if (++at < LENGTH) return;
      state[0] = state[LENGTH - 1] ?? 0;
      at = 1;
    };
    for (let count = 0; count < Math.max(LENGTH, key.length); count++) {
      const element = count % key.length;
      state[at] = mix(at, 1_664_525) + (key[element] ?? 0) + element;
      advance();
    }
    for (let count = 1; count < LENGTH; count++) {
      state[at] = mix(at, 1_566_083_941) - at;
      advance();
    }
    state[0] = 0x8000_0000;
  }

  #word(): number {
    if (this.#index === LENGTH) this.#twist();
    let word = this.#state[this.#index++] ?? 0;
    word ^= word >>> 11;
    word ^= (word << 7) & 0x9d2c_5680;
    word ^= (word << 15) & 0xefc6_0000;
    return (word ^ (word >>> 18)) >>> 0;
  }

  #twist(): void {
    const state = this.#state;
    for (let at = 0; at < LENGTH; at++) {
      const next = state[(at + 1) % LENGTH] ?? 0;
      const joined = ((state[at] ?? 0) & 0x8000_0000) | (next & 0x7fff_ffff);
      const odd = (next & 1) === 1 ? 0x9908_b0df : 0;
      state[at] = (state[(at + SHIFT) % LENGTH] ?? 0) ^ (joined >>> 1) ^ odd;
    }
    this.#index = 0;
  }
}

/** Splits a number into 32-bit words, least significant first; at least one. */
function uint32Words(value: bigint): number[] {
  const words: number[] = [];
  for (let rest = value; rest > 0n || words.length === 0; rest >>= 32n) {
    words.push(Number(rest & 0xffff_ffffn));
  }
  return words;
}
