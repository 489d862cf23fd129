/** The round-trip time before the first sample, in milliseconds (RFC 9002 6.2.2). */
const INITIAL_RTT = 333;

/** The granularity of timers in milliseconds (RFC 9002 6.1.2). */
const GRANULARITY = 1;

/** kTimeThreshold: round trips after which a packet is lost if a later one is acknowledged (RFC 9002 6.1.2). */
const TIME_THRESHOLD = 9 / 8;

/** kPersistentCongestionThreshold (RFC 9002 7.6.1). */
const PERSISTENT_CONGESTION_THRESHOLD = 3;

/** The round-trip time of a path and what follows from it, all in milliseconds (RFC 9002 5). */
export class RttEstimator {
  /** The transport parameter max_ack_delay of the peer (RFC 9000 18.2). */
  maxAckDelay = 25;
  #latest = 0;
  #min = 0;
  #smoothed = INITIAL_RTT;
  #variation = INITIAL_RTT / 2;
  #firstSampleAt = Infinity;

  /** The last sample; 0 before the first. */
  get latest(): number {
    return this.#latest;
  }

  /** The smallest sample (RFC 9002 5.2); 0 before the first. */
  get min(): number {
    return this.#min;
  }

  get smoothed(): number {
    return this.#smoothed;
  }

  /** The mean deviation of samples: rttvar of RFC 9002 5.3. */
  get variation(): number {
    return this.#variation;
  }

  /** When the first sample was taken; Infinity before. */
  get firstSampleAt(): number {
    return this.#firstSampleAt;
  }

  /** The PTO without backoff and max_ack_delay, as in the Initial and Handshake spaces (RFC 9002 6.2.1). */
  get probeTimeout(): number {
    return this.#smoothed + Math.max(4 * this.#variation, GRANULARITY);
  }

  /** The time after its sending at which a packet is lost if a later one is acknowledged (RFC 9002 6.1.2). */
  get lossDelay(): number {
    return Math.max(TIME_THRESHOLD * Math.max(this.#smoothed, this.#latest), GRANULARITY);
  }

  /** The duration of losses that is persistent congestion (RFC 9002 7.6.1). */
  get persistentCongestionDuration(): number {
    return (this.probeTimeout + this.maxAckDelay) * PERSISTENT_CONGESTION_THRESHOLD;
  }

  /**
   * Adds a sample (RFC 9002 5.3).
   *
   * @param ackDelay of the ACK frame, in milliseconds
   * @param isConfirmed whether the handshake is confirmed. Before, the peer may delay for longer than max_ack_delay.
   */
  addSample(latest: number, ackDelay: number, isConfirmed: boolean, now: number): void {
    this.#latest = latest;
    if (this.#firstSampleAt === Infinity) {
      this.#firstSampleAt = now;
      this.#min = latest;
      this.#smoothed = latest;
      this.#variation = latest / 2;
      return;
    }
    this.#min = Math.min(this.#min, latest);
    const delay = isConfirmed ? Math.min(ackDelay, this.maxAckDelay) : ackDelay;
    const adjusted = latest >= this.#min + delay ? latest - delay : latest;
    this.#variation = (3 * this.#variation + Math.abs(this.#smoothed - adjusted)) / 4;
    this.#smoothed = (7 * this.#smoothed + adjusted) / 8;
  }

  /** Sets the minimum to the latest sample, after persistent congestion (RFC 9002 5.2). */
  restartMin(): void {
    this.#min = this.#latest;
  }
}
