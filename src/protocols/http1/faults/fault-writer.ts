import { turns } from '../../../net/turn-budget.ts';
import type { CloseMethod } from '../../../net/close-reason.ts';
import { sendAtRate, type FaultStage } from '../../../server/fault-plan.ts';
import type { Delivery } from '../../../server/pump.ts';
import type { Http1Response } from '../response.ts';
import type { FaultyBytes } from './faulty-response.ts';

/** The exchange of a faulty response. */
interface FaultyExchange extends Pick<Delivery, 'signal' | 'bytes'> {
  /** Closes the connection as the fault requires. */
  closeForFault(how: CloseMethod): void;
}

/** Writes a faulty response to the socket directly, without Node, after the responses to earlier requests. */
export class FaultWriter implements FaultStage<'complete'> {
  readonly delivery: FaultyExchange;
  readonly #response: Http1Response;
  readonly #faulty: FaultyBytes;
  readonly #window: number;

  /** @param window bytes of a piece of content; the last piece may have twice as many */
  constructor(
    response: Http1Response,
    faulty: FaultyBytes,
    exchange: FaultyExchange,
    window: number,
  ) {
    this.#response = response;
    this.#faulty = faulty;
    this.delivery = exchange;
    this.#window = window;
    response.takeOver();
  }

  /** Waits until it is the response's turn (RFC 9112 9.3.2): Node assigns the socket after the previous response. */
  async begin(): Promise<void> {
    if (this.#response.socket) return;
    await new Promise<void>((resolve) => {
      // Next tick: Node first sends interim responses that wait for the socket.
      this.#response.once('socket', () => process.nextTick(resolve));
    });
  }

  async bytes(pieces: Iterable<Uint8Array>): Promise<boolean> {
    const iterator = pieces[Symbol.iterator]();
    for (;;) {
      const isSent = await turns.resultOf(this, () => {
        const next = iterator.next();
        return next.done ? undefined : this.#send([next.value]);
      });
      if (isSent !== true) return isSent === undefined;
    }
  }

  slowBytes(bytes: Uint8Array, rate: number): Promise<boolean> {
    return sendAtRate(bytes, rate, this.delivery.signal, (piece) => this.bytes([piece]));
  }

  sizeOf(left: number): number {
    return left > 2 * this.#window ? this.#window : left;
  }

  async content(piece: Buffer, whole: number): Promise<boolean> {
    const { limit, chunkStart, chunkEnd } = this.#faulty;
    const { bytes } = this.delivery;
    const start = chunkStart(whole, bytes === piece.length);
    return this.#send([start, piece, bytes < limit ? chunkEnd : '']);
  }

  close(how: CloseMethod): void {
    this.delivery.closeForFault(how);
  }

  own(): boolean {
    this.#response.complete();
    return true;
  }

  /** Writes all parts in one go. @returns whether they were handed to the system */
  async #send(parts: readonly (string | Uint8Array)[]): Promise<boolean> {
    const { socket } = this.#response;
    if (!socket || socket.destroyed) return false;
    const written = parts.filter((part) => part.length > 0);
    if (written.length === 0) return true;
    return new Promise((resolve) => {
      socket.cork();
      written.forEach((part, at) =>
        socket.write(part, 'latin1', (error) => {
          if (at === written.length - 1) resolve(!error);
        }),
      );
      socket.uncork();
    });
  }
}
