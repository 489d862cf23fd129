import { Writable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import type { CloseMethod } from '../../../net/close-reason.ts';
import { turns } from '../../../net/turn-budget.ts';
import { guarded } from '../../../server/failure.ts';
import type { Http1Response } from '../response.ts';
import type { FaultyBytes } from './faulty-response.ts';

type Callback = (error?: Error | null) => void;

/** What a faulty response is part of. */
export interface FaultyExchange {
  /** Aborts when the connection is closed. */
  readonly signal: AbortSignal;
  /** Bytes of content written so far. */
  bytes: number;
  /** Closes the connection because the fault does. */
  closeForFault(how: CloseMethod): void;
  /** Ends the exchange because of an error of wirebin. */
  failed(error: unknown): void;
}

/**
 * Writes a faulty response to the socket, in place of Node, once the responses before it are complete.
 * Its payload is written to this stream. When the limit is reached, no further piece is taken.
 */
export class FaultWriter extends Writable {
  readonly #response: Http1Response;
  readonly #faulty: FaultyBytes;
  readonly #exchange: FaultyExchange;

  constructor(response: Http1Response, faulty: FaultyBytes, exchange: FaultyExchange) {
    super();
    this.#response = response;
    this.#faulty = faulty;
    this.#exchange = exchange;
    response.takeOver();
    const destroy = (): void => void this.destroy();
    exchange.signal.addEventListener('abort', destroy, { once: true });
  }

  /** Waits for its turn (RFC 9112 9.3.2): Node assigns the socket once the previous response is complete. */
  override _construct(callback: Callback): void {
    const { head, moreHead, limit } = this.#faulty;
    const end = limit === 0 ? (): void => this.#end() : callback;
    const sendMore = guarded(this.#exchange, () => {
      const piece = moreHead?.next();
      if (!piece || piece.done === true) end();
      else this.#send([piece.value], () => turns.run(sendMore));
    });
    const begin = guarded(this.#exchange, () => this.#send([head], sendMore));
    // Node first sends the interim responses that wait for the socket.
    const beginInTurn = (): void => turns.run(begin);
    if (this.#response.socket) beginInTurn();
    else this.#response.once('socket', () => process.nextTick(beginInTurn));
  }

  override _write(piece: Buffer, _encoding: BufferEncoding, callback: Callback): void {
    guarded(this.#exchange, () => this.#sendPiece(piece, callback))();
  }

  #sendPiece(piece: Buffer, callback: Callback): void {
    const { limit, chunkStart, chunkEnd } = this.#faulty;
    const { bytes } = this.#exchange;
    const start = chunkStart(piece.length, bytes === 0);
    if (bytes + piece.length < limit) {
      this.#exchange.bytes += piece.length;
      this.#send([start, piece, chunkEnd], callback);
      return;
    }
    this.#exchange.bytes = limit;
    this.#send([start, piece.subarray(0, limit - bytes)], () => this.#end());
  }

  override _final(): void {
    guarded(this.#exchange, () => this.#send([this.#faulty.tail], () => this.#end()))();
  }

  /** Writes all parts at once, and calls back when they have been handed to the system. */
  #send(parts: readonly (string | Buffer)[], callback: () => void): void {
    const { socket } = this.#response;
    if (!socket) return;
    const next = guarded(this.#exchange, callback);
    const sent = (error?: Error | null): void => {
      if (error) this.destroy();
      else next();
    };
    const written = parts.filter((part) => part.length > 0);
    if (written.length === 0) {
      sent();
      return;
    }
    socket.cork();
    written.forEach((part, at) =>
      socket.write(part, 'latin1', at === written.length - 1 ? sent : undefined),
    );
    socket.uncork();
  }

  #end(): void {
    const { ending } = this.#faulty;
    switch (ending.how) {
      case 'complete':
        this.#response.complete();
        return;
      case 'stall':
        pause(ending.seconds * 1000, undefined, { signal: this.#exchange.signal })
          .then(() => this.#exchange.closeForFault('graceful'))
          .catch((error: unknown) => this.#exchange.failed(error));
        return;
      case 'graceful':
      case 'reset':
      case 'truncate':
        this.#exchange.closeForFault(ending.how);
    }
  }
}
