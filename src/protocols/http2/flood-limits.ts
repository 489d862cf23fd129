export interface FloodLimitOptions {
  /** Maximum number of streams per second that end with an error of either side. */
  readonly maxResets: number;
  /** Maximum number of PING and SETTINGS frames per second from the client. */
  readonly maxControlFrames: number;
}

/** Burst size for streams that end with an error, in seconds' worth. */
const BURST = 4;

/** Limits events of a session that cost the server more than the client. Call `renew` every second. */
export class FloodLimits {
  readonly #options: FloodLimitOptions;
  #resets = 0;
  #controlFrames = 0;

  constructor(options: FloodLimitOptions) {
    this.#options = options;
  }

  /**
   * Counts a stream that ended with an error, sent or provoked by the client (CVE-2023-44487,
   * CVE-2025-8671).
   *
   * @returns whether the limit is exceeded
   */
  countReset(): boolean {
    return ++this.#resets > BURST * this.#options.maxResets;
  }

  /**
   * Counts a PING or SETTINGS frame, which must be acknowledged; nghttp2 limits only unsent
   * acknowledgements.
   *
   * @returns whether the limit is exceeded
   */
  countControlFrame(): boolean {
    return ++this.#controlFrames > this.#options.maxControlFrames;
  }

  renew(): void {
    this.#resets = Math.max(0, this.#resets - this.#options.maxResets);
    this.#controlFrames = 0;
  }
}

/** Raises nghttp2's own limit to at least ours. Node 20 ignores this. */
export function nativeResetLimit({ maxResets }: FloodLimitOptions): object {
  return {
    streamResetBurst: Math.max(1000, BURST * maxResets),
    streamResetRate: Math.max(33, maxResets),
  };
}
