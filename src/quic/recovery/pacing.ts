/** The rate in windows per round trip: N of RFC 9002 7.7. Above 1, so that variations of the RTT do not leave it unused. */
const GAIN = 1.25;

/**
 * Milliseconds of sending that are allowed at once at least. Timers of Node run 1 ms late on average, so a fast path could
 * not be filled otherwise.
 */
const MIN_BURST_TIME = 2;

/** In milliseconds. A round-trip time of 0 must not make the rate infinite. */
const MIN_RTT = 0.001;

const rateOf = (window: number, smoothedRtt: number): number =>
  (GAIN * window) / Math.max(smoothedRtt, MIN_RTT);

/** A token bucket that spreads the packets of a window over a round trip (RFC 9002 7.7). Times are in milliseconds. */
export class Pacer {
  readonly #burst: number;
  /** Bytes; negative after packets that did not wait, such as probes. */
  #tokens: number;
  #filledAt = 0;
  /** In bytes per millisecond. */
  #rate: number;

  /** @param initialWindow in bytes: maximum burst, unless MIN_BURST_TIME allows more */
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
