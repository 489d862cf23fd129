/** Random numbers from 0 to below 1, the same for each seed (mulberry32). */
export function randomNumbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Random integers from 0 to below `limit`, the same for each seed. */
export function randomIntegers(seed: number): (limit: number) => number {
  const next = randomNumbers(seed);
  return (limit) => Math.floor(next() * limit);
}

/** The numbers below `count`, each once, in random order. */
export function shuffled(count: number, random: (limit: number) => number): number[] {
  const order = Array.from({ length: count }, (_, at) => at);
  for (let at = count - 1; at > 0; at--) {
    const other = random(at + 1);
    [order[at], order[other]] = [order[other] ?? 0, order[at] ?? 0];
  }
  return order;
}

/** Bytes that tell their offset. */
export const patternOf = (length: number): Buffer =>
  Buffer.from(Uint8Array.from({ length }, (_, at) => (at * 167 + (at >> 8)) & 0xff));
