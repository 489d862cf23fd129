import type { CloseMethod } from '../net/close-reason.ts';
import { turns } from '../net/scheduler.ts';
import { Schedule } from './pace.ts';
import { pause } from './pause.ts';
import {
  isWhole,
  payloadLength,
  splitIntoPieces,
  type Payload,
  type Repeatable,
  type Streamed,
  type TimedStream,
} from './payload.ts';
import type { Delivery } from './pump.ts';

/** A step of a faulty response. `Own` is the type of steps that only one protocol has. */
export type FaultStep<Own> =
  /** Sends bytes that are not content. Each piece is made once the previous one has been sent. */
  | { readonly do: 'bytes'; readonly pieces: Iterable<Uint8Array> }
  /** Sends bytes that are not content one by one, `rate` per second. */
  | { readonly do: 'slow-bytes'; readonly bytes: Uint8Array; readonly rate: number }
  /** Sends up to `bytes` bytes of the content. */
  | { readonly do: 'content'; readonly bytes: number }
  | { readonly do: 'pause'; readonly seconds: number }
  | { readonly do: 'close'; readonly how: CloseMethod }
  | { readonly do: 'own'; readonly step: Own };

/** Closes the connection after the seconds; after 0 without a timer, which would give a client time to read. */
export function closing(how: CloseMethod, seconds = 0): FaultStep<never>[] {
  const close = { do: 'close', how } as const;
  return seconds === 0 ? [close] : [{ do: 'pause', seconds }, close];
}

/** Performs the steps on one protocol. Each method resolves after its bytes were handed to the operating system. */
export interface FaultStage<Own> {
  readonly delivery: Pick<Delivery, 'signal' | 'bytes'>;
  /** Aborts when the client disconnects, even after the fault has ended the stream. */
  readonly signal: AbortSignal;
  /** @returns whether to continue with the next step */
  bytes(pieces: Iterable<Uint8Array>): Promise<boolean>;
  /** @returns whether to continue with the next step. @throws AbortError if the client disconnects */
  sendAtRate(bytes: Uint8Array, rate: number): Promise<boolean>;
  /** Size of the next piece of content, if `left` bytes of content are needed. */
  sizeOf(left: number): number;
  /**
   * Sends a piece of content.
   *
   * @param whole length of the piece before the fault cut it off
   * @returns whether more can be sent
   */
  content(piece: Buffer, whole: number): Promise<boolean>;
  close(how: CloseMethod): Promise<void> | void;
  /** @returns whether to continue with the next step */
  own(step: Own): Promise<boolean> | boolean;
}

/**
 * Performs the steps of a response one after the other.
 *
 * @throws AbortError if the client disconnects
 */
export async function perform<Own>(
  steps: readonly FaultStep<Own>[],
  payload: Payload,
  stage: FaultStage<Own>,
): Promise<void> {
  const content = new ContentInParts(payload);
  for (const step of steps) {
    switch (step.do) {
      case 'bytes':
        if (!(await stage.bytes(step.pieces))) return;
        break;
      case 'slow-bytes':
        if (!(await stage.sendAtRate(step.bytes, step.rate))) return;
        break;
      case 'content':
        await content.send(step.bytes, stage);
        break;
      case 'pause':
        await pause(step.seconds, stage.signal);
        break;
      case 'close':
        await stage.close(step.how);
        break;
      case 'own':
        if (!(await stage.own(step.step))) return;
    }
  }
}

/**
 * Sends `rate` bytes per second: one by one up to a thousand, at higher rates those that are due together.
 *
 * @param send returns whether to continue
 * @returns whether all bytes were sent
 * @throws AbortError when `signal` aborts
 */
export async function sendAtRate(
  bytes: Uint8Array,
  rate: number,
  signal: AbortSignal,
  send: (piece: Uint8Array) => Promise<boolean>,
): Promise<boolean> {
  const schedule = new Schedule(bytes.length, (bytes.length - 1) / rate);
  for (let sent = 0; sent < bytes.length;) {
    const due = schedule.due();
    if (due === sent) await schedule.wait(signal);
    else if (!(await send(bytes.subarray(sent, due)))) return false;
    sent = due;
  }
  return true;
}

/** Content that is sent in parts whose lengths the fault determines. */
class ContentInParts {
  readonly #source: Repeatable | Streamed | TimedStream;
  #rest: Buffer | undefined;

  constructor(payload: Payload) {
    this.#source = isWhole(payload) ? splitIntoPieces(payload) : payload;
  }

  /** Sends a number of bytes. @throws AbortError if the client disconnects while a timed payload waits */
  async send(bytes: number, stage: Stage): Promise<void> {
    const { delivery } = stage;
    const source = this.#source;
    // Stops at the known length, because some sources never end.
    const end = Math.min(delivery.bytes + bytes, payloadLength(source) ?? Infinity);
    while (delivery.bytes < end) {
      const isSent = await turns.resultOf(this, () => this.#sendPiece(end - delivery.bytes, stage));
      if (isSent === false) return;
      if (isSent === null && source.kind === 'timed') await source.wait(delivery.signal);
    }
  }

  /** Sends a piece of at most `left` bytes. @returns whether more can be sent; null if nothing is due yet */
  #sendPiece(left: number, stage: Stage): Promise<boolean> | false | null {
    const source = this.#source;
    // On HTTP/1.1, a chunk declares its full size even if the fault cuts it off.
    const size = stage.sizeOf(source.kind === 'pulled' ? left : Infinity);
    const piece = this.#rest ?? source.next(size);
    if (piece === null) return null;
    if (piece === undefined) return false;
    const bytes = bufferOf(piece);
    const part = bytes.subarray(0, left);
    this.#rest = part.length < bytes.length ? bytes.subarray(left) : undefined;
    stage.delivery.bytes += part.length;
    return stage.content(part, bytes.length);
  }
}

/** The piece as a Buffer, without copying it: each client that does not read would keep an uncounted copy. */
function bufferOf(piece: string | Uint8Array): Buffer {
  if (typeof piece === 'string') return Buffer.from(piece, 'latin1');
  return Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength);
}

type Stage = Pick<FaultStage<unknown>, 'content' | 'delivery' | 'sizeOf'>;
