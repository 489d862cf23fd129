import { turns } from '../../../net/scheduler.ts';
import type { CloseMethod, CloseReason } from '../../../net/close-reason.ts';
import { sendAtRate, type FaultStage } from '../../../server/fault-plan.ts';
import type { Delivery } from '../../../server/pump.ts';
import type { Output } from '../output.ts';
import type { FaultyBytes } from './faulty-response.ts';

/** The exchange of a faulty response. */
interface FaultyExchange extends Pick<Delivery, 'signal' | 'bytes'> {
  close(how: CloseMethod, reason: CloseReason): void;
  /** Call when the response has been sent, so that the next one can follow. */
  completeFault(): void;
}

export class FaultWriter implements FaultStage<'complete'> {
  readonly delivery: FaultyExchange;
  readonly #output: Output;
  readonly #faulty: FaultyBytes;
  readonly #window: number;

  /** @param window maximum bytes of a piece of content; the last piece may have twice as many */
  constructor(output: Output, faulty: FaultyBytes, exchange: FaultyExchange, window: number) {
    this.#output = output;
    this.#faulty = faulty;
    this.delivery = exchange;
    this.#window = window;
  }

  get signal(): AbortSignal {
    return this.delivery.signal;
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

  sendAtRate(bytes: Uint8Array, rate: number): Promise<boolean> {
    return sendAtRate(bytes, rate, this.signal, (piece) => this.bytes([piece]));
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
    this.delivery.close(how, 'fault');
  }

  own(): boolean {
    this.delivery.completeFault();
    return true;
  }

  /** Writes all parts together. @returns whether they were handed to the system */
  async #send(parts: readonly (string | Uint8Array)[]): Promise<boolean> {
    const output = this.#output;
    if (output.isClosed) return false;
    if (parts.every(({ length }) => length === 0)) return true;
    return new Promise((resolve) => {
      output.write(parts, (error) => resolve(!error));
    });
  }
}
