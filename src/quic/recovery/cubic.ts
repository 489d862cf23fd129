/** What the window is multiplied by on loss (RFC 9438 4.6). */
export const CUBIC_REDUCTION = 0.7;

/** How steep the curve is, in datagrams per second cubed (RFC 9438 4.1). */
const STEEPNESS = 0.4;

/** Datagrams per round trip by which a window of Reno would grow to be as large on average (RFC 9438 4.3). */
const RENO_INCREASE = (3 * (1 - CUBIC_REDUCTION)) / (1 + CUBIC_REDUCTION);

/**
 * How the window grows in one stage of congestion avoidance (RFC 9438 4.2 to 4.5): steeply up to where it was before the last
 * loss, level there, and steeply again beyond. Where a window of Reno would be larger, as on short paths, it is that.
 */
export class CubicCurve {
  readonly #maxDatagramSize: number;
  /** The window in bytes where the curve is level: W_max. */
  readonly #level: number;
  /** Seconds from the start to there: K. */
  readonly #levelAfter: number;
  /** The window before the last reduction, in bytes: cwnd_prior. */
  readonly #prior: number;
  readonly #startedAt: number;
  /** A window of Reno, in bytes: W_est. */
  #reno: number;

  /**
   * Windows are in bytes, times in milliseconds.
   *
   * @param window at the start
   * @param level where loss is expected; as of `window` if that is larger
   * @param prior the window before the last reduction
   */
  constructor(window: number, level: number, prior: number, maxDatagramSize: number, now: number) {
    this.#maxDatagramSize = maxDatagramSize;
    this.#level = Math.max(level, window);
    this.#levelAfter = Math.cbrt((this.#level - window) / maxDatagramSize / STEEPNESS);
    this.#prior = prior;
    this.#startedAt = now;
    this.#reno = window;
  }

  /** The window after bytes are acknowledged that was `window` before. */
  grow(window: number, bytes: number, now: number, smoothedRtt: number): number {
    const increase = this.#reno < this.#prior ? RENO_INCREASE : 1;
    this.#reno += (increase * this.#maxDatagramSize * bytes) / window;
    if (this.#at(now) < this.#reno) return Math.max(window, this.#reno);
    const target = Math.min(this.#at(now + smoothedRtt), 1.5 * window);
    return window + (Math.max(target - window, 0) * bytes) / window;
  }

  /** W_cubic of RFC 9438 4.2 */
  #at(time: number): number {
    const fromLevel = (time - this.#startedAt) / 1000 - this.#levelAfter;
    return STEEPNESS * fromLevel ** 3 * this.#maxDatagramSize + this.#level;
  }
}
