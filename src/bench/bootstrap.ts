/** Number of resamples: enough for the tails that a verdict asks for. */
const RESAMPLES = 5000;

/** Numbers from 0 to below 1 by mulberry32. Always the same ones, so that the same samples have the same interval. */
export function randomNumbers(seed = 1): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** The medians of resamples, each of which has as many values, drawn with replacement. @param values at least one */
export function resampledMedians(values: readonly number[], random: () => number): Float64Array {
  const sorted = Float64Array.from(values).sort();
  const { length } = sorted;
  const drawn = new Uint32Array(length);
  // The values on both sides of the middle; for an odd number, twice the same.
  const [first, second] = [Math.ceil(length / 2), Math.floor(length / 2) + 1];
  return Float64Array.from({ length: RESAMPLES }, () => {
    drawn.fill(0);
    for (let draw = 0; draw < length; draw++) {
      const at = Math.floor(random() * length);
      drawn[at] = (drawn[at] ?? 0) + 1;
    }
    return (ranked(sorted, drawn, first) + ranked(sorted, drawn, second)) / 2;
  });
}

/** The value with this rank, from 1, if each is there as often as it was drawn. */
function ranked(sorted: Float64Array, drawn: Uint32Array, rank: number): number {
  let at = -1;
  for (let below = 0; below < rank; at++) below += drawn[at + 1] ?? rank;
  return sorted[at] ?? Number.NaN;
}

/**
 * Share of the resampled medians that is outside a confidence interval, at each end: the expanded percentile interval
 * (T. Hesterberg, What Teachers Should Know About the Bootstrap, The American Statistician 69(4), 2015). It is wider
 * than the percentile interval, because few values scatter less than what they are drawn from.
 *
 * @param confidence from 0 to 1
 * @param count number of values, at least 2
 */
export function tailOf(confidence: number, count: number): number {
  const freedom = count - 1;
  const z = normalQuantile((1 + confidence) / 2);
  // Student's t by its Cornish-Fisher expansion (Abramowitz and Stegun 26.7.5).
  const t =
    z + (z ** 3 + z) / (4 * freedom) + (5 * z ** 5 + 16 * z ** 3 + 3 * z) / (96 * freedom ** 2);
  return normalTail(Math.sqrt(count / freedom) * t);
}

/** Share of the standard normal distribution above z (Abramowitz and Stegun 26.2.17). @param z at least 0 */
function normalTail(z: number): number {
  const t = 1 / (1 + 0.231_641_9 * z);
  const polynomial =
    t *
    (0.319_381_53 +
      t * (-0.356_563_782 + t * (1.781_477_937 + t * (-1.821_255_978 + t * 1.330_274_429))));
  return (Math.exp((-z * z) / 2) / Math.sqrt(2 * Math.PI)) * polynomial;
}

/** The z above which the rest of the standard normal distribution lies, by bisection. @param share at least 0.5 */
function normalQuantile(share: number): number {
  let [low, high] = [0, 10];
  while (high - low > 1e-9) {
    const middle = (low + high) / 2;
    if (normalTail(middle) > 1 - share) low = middle;
    else high = middle;
  }
  return low;
}
