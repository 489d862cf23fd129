/** The factor of the window on loss: beta_cubic of RFC 9438 4.6. */
export const CUBIC_REDUCTION = 0.7;

/** How steep the curve is, in datagrams per second cubed: C of RFC 9438 4.1.1, with the value of 5.1. */
const STEEPNESS = 0.4;

/** Datagrams per round trip by which the Reno-friendly window grows: alpha_cubic of RFC 9438 4.3. */
const RENO_INCREASE = (3 * (1 - CUBIC_REDUCTION)) / (1 + CUBIC_REDUCTION);

/**
 * How the window grows in one stage of congestion avoidance (RFC 9438 4.2 to 4.5): fast at first, slowly near W_max, where the
 * last loss was, and fast again beyond. Where the Reno-friendly window is larger, as on short paths, the window is that one.
 */
export class CubicCurve {
  readonly #maxDatagramSize: number;
  /** W_max, in bytes. */
  readonly #maxWindow: number;
  /** Seconds from the start to W_max: K. */
  readonly #maxAfter: number;
  /** cwnd_prior, in bytes. */
  readonly #priorWindow: number;
  /** t_epoch, in milliseconds. */
  readonly #startedAt: number;
  /** W_est, in bytes. */
  #reno: number;

  /**
   * Windows are in bytes, times in milliseconds.
   *
   * @param window at the start: cwnd_epoch
   * @param maxWindow W_max; `window` if that is larger
   * @param priorWindow the window before the last reduction: cwnd_prior
   */
  constructor(
    window: number,
    maxWindow: number,
    priorWindow: number,
    maxDatagramSize: number,
    now: number,
  ) {
    this.#maxDatagramSize = maxDatagramSize;
    this.#maxWindow = Math.max(maxWindow, window);
    this.#maxAfter = Math.cbrt((this.#maxWindow - window) / maxDatagramSize / STEEPNESS);
    this.#priorWindow = priorWindow;
    this.#startedAt = now;
    this.#reno = window;
  }

  /** The window after an acknowledgment of bytes. @param window before it */
  grow(window: number, bytes: number, now: number, smoothedRtt: number): number {
    const increase = this.#reno < this.#priorWindow ? RENO_INCREASE : 1;
    this.#reno += (increase * this.#maxDatagramSize * bytes) / window;
    if (this.#at(now) < this.#reno) return Math.max(window, this.#reno);
    const target = Math.min(this.#at(now + smoothedRtt), 1.5 * window);
    return window + (Math.max(target - window, 0) * bytes) / window;
  }

  /** W_cubic of RFC 9438 4.2, in bytes. */
  #at(time: number): number {
    const fromMax = (time - this.#startedAt) / 1000 - this.#maxAfter;
    return STEEPNESS * fromMax ** 3 * this.#maxDatagramSize + this.#maxWindow;
  }
}
