/** How much faster than one window per round trip is sent, so that a varying round trip leaves no window unused (RFC 9002 7.7). */
const GAIN = 1.25;

/**
 * Milliseconds of sending that are allowed at once. Timers of Node run on average 1 ms late, and a path whose window takes
 * less could not be filled otherwise.
 */
const MIN_BURST_TIME = 2;

/** In milliseconds. A smaller round-trip time than clocks can measure must not make the rate infinite. */
const MIN_RTT = 0.001;

const rateOf = (window: number, smoothedRtt: number): number =>
  (GAIN * window) / Math.max(smoothedRtt, MIN_RTT);

/** A token bucket that spreads the packets of a window over a round trip (RFC 9002 7.7). Times are in milliseconds. */
export class Pacer {
  readonly #burst: number;
  /** Bytes; negative after packets that were not asked for, such as probes. */
  #tokens: number;
  #filledAt = 0;
  /** In bytes per millisecond. */
  #rate: number;

  /** @param initialWindow in bytes; as much may be sent at once after a pause */
  constructor(initialWindow: number, smoothedRtt: number) {
    this.#burst = initialWindow;
    this.#tokens = initialWindow;
    this.#rate = rateOf(initialWindow, smoothedRtt);
  }

  /** Sets the pace from the window in bytes and the smoothed round-trip time. */
  setRate(window: number, smoothedRtt: number, now: number): void {
    this.#fill(now);
    this.#rate = rateOf(window, smoothedRtt);
  }

  /** Counts a packet in flight. */
  sent(size: number, now: number): void {
    this.#fill(now);
    this.#tokens -= size;
  }

  /** When a packet may be sent: `now`, or a later time. */
  nextSendTime(size: number, now: number): number {
    this.#fill(now);
    return this.#tokens >= size ? now : now + (size - this.#tokens) / this.#rate;
  }

  #fill(now: number): void {
    const burst = Math.max(this.#burst, this.#rate * MIN_BURST_TIME);
    this.#tokens = Math.min(burst, this.#tokens + (now - this.#filledAt) * this.#rate);
    this.#filledAt = now;
  }
}
