import type { Socket } from 'node:net';

/** Number of timer intervals per limit. */
const INTERVALS = 4;

/**
 * Detects a client that does not read while data is pending. Only Node's socket timer sees partial
 * progress of a large write, but it checks when it expires and then restarts: with the full limit, a
 * client that read something at first would get twice the time. So the timer runs for a fraction of the
 * limit, and consecutive intervals without progress are added up.
 */
export class WriteStall {
  readonly #socket: Socket;
  readonly #limit: number;
  /** Start of the first interval without progress, from performance.now(). */
  #since = 0;
  /** Time of the last check, from performance.now(). */
  #checkedAt = -Infinity;
  #bytes = 0;

  /** @param limit in milliseconds */
  constructor(socket: Socket, limit: number) {
    this.#socket = socket;
    this.#limit = limit;
  }

  /** Starts the timer unless it is running. */
  watch(): void {
    if (!this.#socket.timeout) this.#socket.setTimeout(this.#limit / INTERVALS);
  }

  /** Call when the timer expires. @returns whether there was no progress for the whole limit */
  hasExpired(): boolean {
    const interval = this.#limit / INTERVALS;
    const now = performance.now();
    const { bytesWritten } = this.#socket;
    // After partial progress the timer has run twice; after a complete write, bytesWritten differs.
    const isStalled = now - this.#checkedAt < 1.5 * interval && bytesWritten === this.#bytes;
    if (!isStalled) this.#since = now - interval;
    this.#checkedAt = now;
    this.#bytes = bytesWritten;
    // Timers and the clock differ by fractions of a millisecond.
    if (now - this.#since > this.#limit - interval / 2) return true;
    this.#socket.setTimeout(interval);
    return false;
  }
}
