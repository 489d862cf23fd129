import type { Limits } from '../../server/limits.ts';

/** Burst allowance for streams that end with an error, in seconds of the rate. */
const BURST = 4;

const SECOND = 1000;

type FloodRates = Pick<Limits, 'maxResets' | 'maxControlFrames'>;

/** Limits the rate of what costs the server more than the client: resets and control frames. */
export class FloodLimits {
  readonly #options: FloodRates;
  #resets = 0;
  #controlFrames = 0;
  /** When the rates were last renewed, from performance.now(). */
  #renewedAt = performance.now();

  constructor(options: FloodRates) {
    this.#options = options;
  }

  /**
   * Counts a stream that ended with an error, sent or provoked by the client (CVE-2023-44487, CVE-2025-8671).
   *
   * @returns whether the limit is exceeded
   */
  countReset(): boolean {
    this.#renew();
    return ++this.#resets > BURST * this.#options.maxResets;
  }

  /**
   * Counts a PING or SETTINGS frame, which must be acknowledged. nghttp2 limits only unsent acknowledgements.
   *
   * @returns whether the limit is exceeded
   */
  countControlFrame(): boolean {
    this.#renew();
    return ++this.#controlFrames > this.#options.maxControlFrames;
  }

  #renew(): void {
    const seconds = Math.floor((performance.now() - this.#renewedAt) / SECOND);
    if (seconds === 0) return;
    this.#renewedAt += seconds * SECOND;
    this.#resets = Math.max(0, this.#resets - seconds * this.#options.maxResets);
    this.#controlFrames = 0;
  }
}

/** Options that raise nghttp2's own limit to at least wirebin's. Node 20 ignores them. */
export function nativeResetLimit({ maxResets }: Limits): object {
  return {
    streamResetBurst: Math.max(1000, BURST * maxResets),
    streamResetRate: Math.max(33, maxResets),
  };
}
