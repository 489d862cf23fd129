/** Where a search begins and ends, in requests per second. */
export interface Bounds {
  readonly start: number;
  readonly lowest: number;
  readonly highest: number;
}

/** An estimate with its 95 % interval. */
export interface Edge {
  readonly rate: number;
  readonly low: number;
  readonly high: number;
}

/** Distance of the rates that are considered, as a logarithm. */
const STEP = 0.005;
/** Width of the interval at which a search ends: high to low. */
const NARROW = 1.05;
const MAX_TRIALS = 40;
/** How much higher or lower than all before a rate may be. */
const GROWTH = 2;
/** Where the next trial is: in turn where the edge is above with a probability of three quarters, and of one quarter. */
const ASIDE = [0.25, 0.75];

/** How wide the range of rates is in which a condition holds at some times only, as a logarithm. */
const WIDTHS = [0.003, 0.01, 0.03, 0.1] as const;
/** How likely a trial fails far below the edge, such as by a stall now and then, and how likely we think that is. */
const STALLS = [
  [0.01, 0.6],
  [0.1, 0.3],
  [0.3, 0.1],
] as const;
/** How likely a trial holds far above the edge. */
const LUCK = 0.02;

/** A combination of what is not known of a side, with a probability for each rate that the edge is there. */
interface Hypothesis {
  readonly width: number;
  readonly stall: number;
  readonly chances: Float64Array;
}

/**
 * Searches for the rate up to which something holds, by trials that may be wrong: bisection with probabilities. Each
 * trial multiplies the probability of each possible edge by how likely its outcome is there. The next one is somewhat
 * below or above of the most likely edge, in turn, so that rates on both sides of it are tried again and again. At first,
 * rates grow exponentially.
 */
export class EdgeSearch {
  readonly #logs: Float64Array;
  readonly #hypotheses: readonly Hypothesis[];
  readonly #start: number;
  #held = 0;
  #failed = Infinity;
  #trials = 0;

  constructor({ start, lowest, highest }: Bounds) {
    const first = Math.log(lowest);
    const count = Math.max(1, Math.ceil((Math.log(highest) - first) / STEP)) + 1;
    this.#logs = Float64Array.from({ length: count }, (_, at) => first + at * STEP);
    this.#start = Math.min(Math.max(start, lowest), highest);
    this.#hypotheses = WIDTHS.flatMap((width) =>
      STALLS.map(([stall, chance]) => ({
        width,
        stall,
        chances: new Float64Array(count).fill(chance),
      })),
    );
  }

  /** The rate of the next trial; undefined if the edge is known well enough, or cannot be. */
  get next(): number | undefined {
    if (this.#trials === 0) return this.#start;
    const { low, high } = this.edge;
    if (high <= low * NARROW || this.#trials >= MAX_TRIALS) return undefined;
    const most = this.#held === 0 ? Infinity : this.#held * GROWTH;
    const least = this.#failed === Infinity ? 0 : this.#failed / GROWTH;
    const [below = 0, above = 0] = this.#quantiles(ASIDE);
    return Math.min(most, Math.max(least, this.#trials % 2 === 0 ? below : above));
  }

  /** Adds the outcome of a trial. */
  add(rate: number, holds: boolean): void {
    this.#trials++;
    if (holds) this.#held = Math.max(this.#held, rate);
    else this.#failed = Math.min(this.#failed, rate);
    const log = Math.log(rate);
    let sum = 0;
    for (const width of WIDTHS) {
      const below = this.#logs.map((edge) => 1 / (1 + Math.exp((log - edge) / width)));
      for (const { stall, chances } of this.#hypotheses.filter((each) => each.width === width)) {
        for (const [at, share] of below.entries()) {
          const chance = LUCK + (1 - LUCK - stall) * share;
          const product = (chances[at] ?? 0) * (holds ? chance : 1 - chance);
          chances[at] = product;
          sum += product;
        }
      }
    }
    for (const { chances } of this.#hypotheses) {
      for (const [at, chance] of chances.entries()) chances[at] = chance / sum;
    }
  }

  /** The median of where the edge may be. `rate` is `lowest` if the condition holds nowhere. */
  get edge(): Edge {
    const [low = 0, rate = 0, high = 0] = this.#quantiles([0.025, 0.5, 0.975]);
    return { rate, low, high };
  }

  #quantiles(shares: readonly number[]): number[] {
    const chances = this.#logs.map((_, at) =>
      this.#hypotheses.reduce((sum, each) => sum + (each.chances[at] ?? 0), 0),
    );
    const all = chances.reduce((sum, chance) => sum + chance, 0);
    return shares.map((share) => {
      let left = share * all;
      const at = chances.findIndex((chance) => (left -= chance) <= 0);
      return Math.exp(this.#logs[at] ?? 0);
    });
  }
}
