/**
 * A limit that the peer has announced: bytes of a stream, bytes of the connection, or a number of streams (RFC 9000 4.1,
 * 4.6). It never falls.
 */
export class PeerLimit {
  #limit: number;
  #used = 0;
  /** The limit in the last frame that said it is reached; -1 without one, or if that was lost. */
  #blockedAt = -1;

  constructor(limit = 0) {
    this.#limit = limit;
  }

  get limit(): number {
    return this.#limit;
  }

  get used(): number {
    return this.#used;
  }

  get left(): number {
    return this.#limit - this.#used;
  }

  /** Whether to tell the peer that the limit is reached: once per limit (RFC 9000 4.1). */
  get isBlocked(): boolean {
    return this.#used === this.#limit && this.#blockedAt < this.#limit;
  }

  use(amount: number): void {
    this.#used += amount;
  }

  /** Raises the limit. @returns false if it is not higher than before: such a frame is ignored (RFC 9000 4.1) */
  raise(limit: number): boolean {
    if (limit <= this.#limit) return false;
    this.#limit = limit;
    return true;
  }

  /** Notes that a frame says that the limit is reached. @returns the limit */
  announceBlocked(): number {
    this.#blockedAt = this.#limit;
    return this.#limit;
  }

  /** Notes that the frame was lost that said so. @param limit the one in it */
  loseBlocked(limit: number): void {
    if (limit === this.#blockedAt) this.#blockedAt = -1;
  }
}

/**
 * A limit that is announced to the peer, in the same units. It rises when half of the window is consumed: bytes that were
 * read, or streams that are closed.
 */
export class OwnLimit {
  readonly #window: number;
  #limit: number;
  #received = 0;
  #consumed = 0;
  #wasLost = false;

  constructor(window: number) {
    this.#window = window;
    this.#limit = window;
  }

  get limit(): number {
    return this.#limit;
  }

  /** Whether to announce a higher limit, or the present one again after a loss. */
  get isDue(): boolean {
    const rise = this.#consumed + this.#window - this.#limit;
    return this.#wasLost || (rise > 0 && 2 * rise >= this.#window);
  }

  /** @returns false if the peer has exceeded the limit */
  receive(amount: number): boolean {
    this.#received += amount;
    return this.#received <= this.#limit;
  }

  consume(amount: number): void {
    this.#consumed += amount;
  }

  /** Raises the limit. @returns the one to announce */
  announce(): number {
    this.#wasLost = false;
    this.#limit = Math.max(this.#limit, this.#consumed + this.#window);
    return this.#limit;
  }

  /** Notes that the frame was lost that announced a limit. Ignored if a higher one was announced since (RFC 9000 13.3). */
  lose(limit: number): void {
    if (limit === this.#limit) this.#wasLost = true;
  }
}
