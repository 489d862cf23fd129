/**
 * A flow-control window for what the peer sends (RFC 9113 5.2). Credit is returned when a quarter of the window has been
 * consumed: some peers end a connection with ENHANCE_YOUR_CALM after many small increments. A larger part delays peers
 * that use Nagle's algorithm, such as OkHttp: what is left of a window waits for an ACK, which the system delays by
 * 40 ms unless a WINDOW_UPDATE carries it.
 */
export class ReceiveWindow {
  #size: number;
  /** Bytes to be consumed before credit is returned. */
  #part: number;
  /** Bytes that the peer may still send; negative after more, or after the window has become smaller. */
  #left: number;
  /** Bytes consumed, but not yet returned. */
  #consumed = 0;

  /** @param size in bytes */
  constructor(size: number) {
    this.#size = size;
    this.#part = quarterOf(size);
    this.#left = size;
  }

  /** Bytes received that were not consumed. */
  get unconsumed(): number {
    return this.#size - this.#left - this.#consumed;
  }

  /** Bytes that the peer may still send; negative after more. */
  get left(): number {
    return this.#left;
  }

  /** Counts received bytes. @returns the window after them, negative if the peer has exceeded it */
  receive(bytes: number): number {
    this.#left -= bytes;
    return this.#left;
  }

  /** Counts consumed bytes. @returns the increment of the WINDOW_UPDATE to send now; 0 for none */
  consume(bytes: number): number {
    this.#consumed += bytes;
    if (this.#consumed < this.#part) return 0;
    return this.takeConsumed();
  }

  /** Counts consumed bytes whose credit is not returned yet. */
  consumeHeld(bytes: number): void {
    this.#consumed += bytes;
  }

  /** @returns the increment of the WINDOW_UPDATE that returns all credit; 0 for none */
  takeConsumed(): number {
    const increment = this.#consumed;
    this.#consumed = 0;
    this.#left += increment;
    return increment;
  }

  /**
   * Changes the size, as SETTINGS_INITIAL_WINDOW_SIZE does (RFC 9113 6.9.2).
   *
   * @returns bytes of credit to return, as of `consume`: what was consumed may be more than a quarter of a smaller window
   */
  resize(change: number): number {
    this.#size += change;
    this.#part = quarterOf(this.#size);
    this.#left += change;
    return this.consume(0);
  }
}

const quarterOf = (size: number): number => Math.max(1, Math.floor(size / 4));
