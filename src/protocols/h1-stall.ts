import type { Socket } from 'node:net';

/** Into how many parts the time set is divided. */
const PARTS = 4;

/**
 * A connection with something left to write, of which the client may take nothing. Node's own timer
 * alone sees how much of a large write the client has taken, but only when it runs out, and then starts
 * anew: with the whole of the time set, a client that took something at first would have it twice. So
 * the timer runs for a part of it, and the parts in which nothing was taken are put together.
 */
export class Stall {
  readonly #socket: Socket;
  readonly #limit: number;
  /** By performance.now(), as `#lookedAt`. */
  #since = 0;
  #lookedAt = -Infinity;
  #octets = 0;

  /** @param limit in milliseconds */
  constructor(socket: Socket, limit: number) {
    this.#socket = socket;
    this.#limit = limit;
  }

  /** Starts the timer, if it does not run. */
  watch(): void {
    if (!this.#socket.timeout) this.#socket.setTimeout(this.#limit / PARTS);
  }

  /** To be called when the timer has run out. @returns whether nothing was taken for the time set */
  isOver(): boolean {
    const part = this.#limit / PARTS;
    const now = performance.now();
    const { bytesWritten } = this.#socket;
    // Where something was taken the timer has run twice; where all was, more has been written.
    const goesOn = now - this.#lookedAt < 1.5 * part && bytesWritten === this.#octets;
    if (!goesOn) this.#since = now - part;
    this.#lookedAt = now;
    this.#octets = bytesWritten;
    // Timers and the clock differ by fractions of a millisecond.
    if (now - this.#since > this.#limit - part / 2) return true;
    this.#socket.setTimeout(part);
    return false;
  }
}
