import type { Limits } from '../../server/limits.ts';

/** Streams that may end with an error in a burst: as many as the rate allows in this number of seconds. */
const BURST = 4;

const SECOND = 1000;

type FloodRates = Pick<Limits, 'maxResets' | 'maxControlFrames'>;

/** Limits the rate of what costs the server more than the client: failed streams and control frames. */
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
   * Counts a stream that ended with an error, which the client sent or provoked (CVE-2023-44487, CVE-2025-8671).
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

/** Options for node:http2 that raise nghttp2's own limit to at least that of wirebin. Node 20 ignores them. */
export function nativeResetLimit({ maxResets }: Limits): object {
  return {
    streamResetBurst: Math.max(1000, BURST * maxResets),
    streamResetRate: Math.max(33, maxResets),
  };
}
