export interface FloodLimitOptions {
  /** Streams a second that may end with an error, by our side or the client's. */
  readonly maxResets: number;
  /** PING and SETTINGS frames of the client a second. */
  readonly maxControlFrames: number;
}

/** How many seconds' worth of streams may end with an error at once. */
const BURST = 4;

/** What a session may have of what costs us more than its client; to be renewed every second. */
export class FloodLimits {
  readonly #options: FloodLimitOptions;
  #faults = 0;
  #controlFrames = 0;

  constructor(options: FloodLimitOptions) {
    this.#options = options;
  }

  /**
   * Each reset costs us more than the client that makes or forces it (CVE-2023-44487, CVE-2025-8671).
   *
   * @returns whether there are too many
   */
  fault(): boolean {
    return ++this.#faults > BURST * this.#options.maxResets;
  }

  /**
   * PING or SETTINGS, which want an answer; nghttp2 minds only those whose answers are not taken.
   *
   * @returns whether there are too many
   */
  controlFrame(): boolean {
    return ++this.#controlFrames > this.#options.maxControlFrames;
  }

  renew(): void {
    this.#faults = Math.max(0, this.#faults - this.#options.maxResets);
    this.#controlFrames = 0;
  }
}

/** nghttp2 has a limit of its own, which is to be no lower than ours; Node 20 cannot set it. */
export function nativeResetLimit({ maxResets }: FloodLimitOptions): object {
  return {
    streamResetBurst: Math.max(1000, BURST * maxResets),
    streamResetRate: Math.max(33, maxResets),
  };
}
