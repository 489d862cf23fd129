import type { FieldLines } from '../http/fields.ts';

/**
 * The content of an answer.
 *
 * - bytes, or a string of ASCII: whole, there already; see `textPayload`
 * - pulled: made piece by piece as the client takes it, so that only a window is ever held
 * - streamed: the same, its length left unsaid
 * - trailed: whole, with trailer fields behind it
 * - paced: pulled as well, but a part of it is not there before its time
 */
export type Payload = string | Uint8Array | PullSource | Streamed | WithTrailers | TimedStream;

/** Most content of a response, in bytes, that a request may ask for by a number; see SECURITY.md. */
export const MAX_REQUESTED_CONTENT = 10 * 1024 * 1024;

export interface PullSource {
  readonly kind: 'pulled';
  /** All of it, in bytes. */
  readonly length: number;
  /** Whether its pieces are views of bytes that are there anyway, so that queued ones cost nothing. */
  readonly shared?: boolean;
  /** The next piece, at most `size` bytes; undefined after the last. */
  next(size: number): Uint8Array | undefined;
  /** Told of each piece that has been sent: its memory is nobody's any more, and may serve again. */
  release?(piece: Uint8Array): void;
}

export interface Streamed {
  readonly kind: 'streamed';
  /**
   * The next piece, on HTTP/1.1 a chunk of its own (RFC 9112 7.1): bytes, or a string of ASCII.
   * undefined after the last, as often as it is asked for.
   *
   * @param size bytes that may wait for the client: a piece that can be cut has no more
   */
  next(size: number): Uint8Array | string | undefined;
  /** Bytes that it holds until the last piece, where its pieces are made of something large. */
  readonly held?: number;
  /** As below. */
  readonly trailers?: FieldLines;
}

export interface WithTrailers {
  readonly kind: 'with-trailers';
  /** A string is ASCII. */
  readonly content: string | Uint8Array;
  /** Trailer fields (RFC 9110 6.5), sent behind the content where the protocol has room for them. */
  readonly trailers: FieldLines;
}

export interface TimedStream {
  readonly kind: 'timed';
  /** All of it, in bytes, where that is known. */
  readonly length?: number;
  /** As above. */
  readonly held?: number;
  /** As above. */
  readonly trailers?: FieldLines;
  /**
   * The next piece of what is due, as above: so that what is due together is never handed over as a
   * whole. null while nothing more is due.
   */
  next(size: number): Uint8Array | string | null | undefined;
  /**
   * Waits until something may be due, or the end has come. Called after `next` has returned null.
   *
   * @param signal aborts when the client goes: timers must be let go of at once
   * @throws AbortError when it does
   */
  wait(signal: AbortSignal): Promise<void>;
}

/**
 * Text as UTF-8. ASCII stays a string: Node writes one together with the header section, in one
 * piece and one encoding, so that anything else would encode the fields a second time.
 */
export function textPayload(text: string): string | Uint8Array {
  return Buffer.byteLength(text) === text.length ? text : Buffer.from(text);
}

/** Bytes of the payload, undefined where its length is not known or not to be said. */
export function payloadLength(payload: Payload): number | undefined {
  return isWhole(payload) || 'length' in payload ? payload.length : undefined;
}

/** Bytes that a payload holds for as long as the client has not taken all of it. */
export function heldBytes(payload: Payload): number {
  if (isWhole(payload)) return payload.length;
  switch (payload.kind) {
    case 'with-trailers':
      return payload.content.length;
    case 'streamed':
    case 'timed':
      return payload.held ?? 0;
    case 'pulled':
      return 0;
  }
}

/** The trailer fields of a payload. */
export function trailersOf(payload: Payload): FieldLines | undefined {
  return !isWhole(payload) && 'trailers' in payload ? payload.trailers : undefined;
}

/** The first so many pieces, as fast as the client takes them. */
export function streamPieces(count: number, piece: (at: number) => Uint8Array | string): Streamed {
  let at = 0;
  return { kind: 'streamed', next: () => (at < count ? piece(at++) : undefined) };
}

/**
 * Texts that come in their own time. The next is waited for once the one before has been taken.
 *
 * @param begin makes them; `signal` aborts when the client goes, and has to end a wait at once
 */
export function textStream(begin: (signal: AbortSignal) => AsyncGenerator<string>): TimedStream {
  let texts: AsyncGenerator<string> | undefined;
  let text: PullSource | undefined;
  let isOver = false;
  return {
    kind: 'timed',
    next: (size) => text?.next(size) ?? (isOver ? undefined : null),
    async wait(signal) {
      signal.throwIfAborted();
      if (!texts) {
        const begun = begin(signal);
        texts = begun;
        // The client may go while a text is on its way, when nobody waits for the next.
        signal.addEventListener('abort', () => void begun.return(undefined), { once: true });
      }
      const { value, done = false } = await texts.next();
      isOver = done;
      text = done ? undefined : pullBytes(Buffer.from(value));
    },
  };
}

/** Bytes that are there already, pulled like others: as a part of something larger. */
export function pullBytes(bytes: Uint8Array): PullSource {
  let sent = 0;
  return {
    kind: 'pulled',
    length: bytes.length,
    shared: true,
    next(size) {
      if (sent === bytes.length) return undefined;
      const chunk = bytes.subarray(sent, sent + size);
      sent += chunk.length;
      return chunk;
    },
  };
}

/**
 * The payload in pieces, where all of it is there already: handed over as a whole Node copies it,
 * and again for TLS.
 */
export function splitIntoPieces(
  payload: string | Uint8Array | WithTrailers,
): PullSource | Streamed {
  if (isWhole(payload)) {
    return pullBytes(typeof payload === 'string' ? Buffer.from(payload, 'latin1') : payload);
  }
  const { trailers, content } = payload;
  const pieces = splitIntoPieces(content);
  return { kind: 'streamed', next: (size) => pieces.next(size), trailers };
}

/** Whether all of it is there already. */
export function isWhole(payload: Payload): payload is string | Uint8Array {
  return typeof payload === 'string' || payload instanceof Uint8Array;
}

/** Whether all of it is there already, trailer fields included. */
export function isWithTrailers(payload: Payload): payload is WithTrailers {
  return !isWhole(payload) && payload.kind === 'with-trailers';
}
