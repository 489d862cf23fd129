/**
 * A flow-control window for what the server sends (RFC 9113 6.9). It is renewed when half of it is used: some servers
 * end a connection with ENHANCE_YOUR_CALM after many small increments.
 */
export class ReceiveWindow {
  readonly #half: number;
  #used = 0;

  /** @param size in bytes */
  constructor(size: number) {
    this.#half = size / 2;
  }

  /** Counts received bytes. @returns the increment of the WINDOW_UPDATE to send now; 0 for none */
  take(bytes: number): number {
    this.#used += bytes;
    if (this.#used < this.#half) return 0;
    const increment = this.#used;
    this.#used = 0;
    return increment;
  }
}
