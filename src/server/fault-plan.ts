import type { CloseMethod } from '../net/close-reason.ts';
import { turns } from '../net/turn-budget.ts';
import { pause } from './pause.ts';
import {
  isWhole,
  isWithTrailers,
  payloadLength,
  splitIntoPieces,
  type Payload,
  type Repeatable,
  type Streamed,
  type TimedStream,
} from './payload.ts';
import type { Delivery } from './pump.ts';

/** A step of a response with a fault. `Own` are those of one protocol. */
export type FaultStep<Own> =
  /** Bytes of the connection that are not content. Each piece is made once the previous one has been sent. */
  | { readonly do: 'bytes'; readonly pieces: Iterable<Uint8Array> }
  /** So many more bytes of the content, or the rest if it is shorter. */
  | { readonly do: 'content'; readonly bytes: number }
  | { readonly do: 'pause'; readonly seconds: number }
  /** Closes the connection. */
  | { readonly do: 'close'; readonly how: CloseMethod }
  | { readonly do: 'own'; readonly step: Own };

/** Does the steps on a protocol. Each method resolves when its bytes were handed to the system. */
export interface FaultStage<Own> {
  readonly delivery: Pick<Delivery, 'signal' | 'bytes'>;
  /** @returns whether the next step follows */
  bytes(pieces: Iterable<Uint8Array>): Promise<boolean>;
  /** The size of the next piece of content, if so many bytes are left. */
  sizeOf(left: number): number;
  /**
   * Sends a piece of content.
   *
   * @param whole its length before it was cut
   * @returns whether more can be sent
   */
  content(piece: Buffer, whole: number): Promise<boolean>;
  close(how: CloseMethod): Promise<void> | void;
  /** @returns whether the next step follows */
  own(step: Own): Promise<boolean> | boolean;
}

/**
 * Takes the steps of a response one after the other.
 *
 * @throws AbortError if the client disconnects
 */
export async function perform<Own>(
  steps: readonly FaultStep<Own>[],
  payload: Payload,
  stage: FaultStage<Own>,
): Promise<void> {
  const content = new Content(payload);
  for (const step of steps) {
    switch (step.do) {
      case 'bytes':
        if (!(await stage.bytes(step.pieces))) return;
        break;
      case 'content':
        await content.send(step.bytes, stage);
        break;
      case 'pause':
        await pause(step.seconds, stage.delivery.signal);
        break;
      case 'close':
        await stage.close(step.how);
        break;
      case 'own':
        if (!(await stage.own(step.step))) return;
    }
  }
}

/** Content in parts, which end where a fault wants it. */
class Content {
  readonly #source: Repeatable | Streamed | TimedStream;
  #rest: Buffer | undefined;

  constructor(payload: Payload) {
    const isKnown = isWhole(payload) || isWithTrailers(payload);
    this.#source = isKnown ? splitIntoPieces(payload) : payload;
  }

  /** @throws AbortError if the client disconnects while a timed payload waits */
  async send(bytes: number, stage: Stage): Promise<void> {
    const { delivery } = stage;
    const source = this.#source;
    // Some sources have no end of their own.
    const end = Math.min(delivery.bytes + bytes, payloadLength(source) ?? Infinity);
    while (delivery.bytes < end) {
      const isSent = await turns.resultOf(this, () => this.#sendPiece(end - delivery.bytes, stage));
      if (isSent === false) return;
      if (isSent === null && source.kind === 'timed') await source.wait(delivery.signal);
    }
  }

  /** @returns whether more can be sent; null if nothing is due */
  #sendPiece(left: number, stage: Stage): Promise<boolean> | false | null {
    const source = this.#source;
    // A chunk of HTTP/1.1 declares its size even if not all of it is sent.
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

/** The same bytes: a copy would be memory of each client that does not read, and counted nowhere. */
function bufferOf(piece: string | Uint8Array): Buffer {
  if (typeof piece === 'string') return Buffer.from(piece, 'latin1');
  return Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength);
}

type Stage = Pick<FaultStage<unknown>, 'content' | 'delivery' | 'sizeOf'>;
