import type { FieldLines } from '../http/fields.ts';

/**
 * The content of a response:
 *
 * - bytes, or an ASCII string: entirely in memory; see `textPayload`
 * - pulled: made piece by piece as the client reads, so that only one window is in memory
 * - streamed: pulled, without a known length
 * - timed: pulled, but its parts become available over time
 */
export type Payload = string | Uint8Array | Repeatable | Streamed | TimedStream;

/** Maximum bytes of content that a number in a request can ask for; see SECURITY.md. */
export const MAX_REQUESTED_CONTENT = 10 * 1024 * 1024;

export interface PullSource {
  readonly kind: 'pulled';
  /** Total length in bytes. */
  readonly length: number;
  /** Whether pieces are views of a shared buffer. Queued pieces then take no memory of their own. */
  readonly shared?: boolean;
  /** Bytes kept in memory for this response until the last piece. */
  readonly held?: number;
  /** The next piece, at most `size` bytes; undefined after the last. */
  next(size: number): Uint8Array | undefined;
  /** Called with each piece once it has been sent; its memory may then be reused. */
  readonly release?: ((piece: Uint8Array) => void) | undefined;
}

/** Content that can be made twice, so that it can be hashed before it is sent. */
export interface Repeatable extends PullSource {
  /**
   * Fixes the content, even if it is random. Call before the first `next`.
   *
   * @returns a function that makes the same content from the beginning
   */
  fix(): () => PullSource;
}

export interface Streamed {
  readonly kind: 'streamed';
  /**
   * The next piece, which is one chunk on HTTP/1.1 (RFC 9112 7.1); undefined after the last, on every further call. All
   * pieces are bytes, or all are ASCII strings.
   *
   * @param size bytes that may be queued; a piece that can be split must not exceed it
   */
  next(size: number): Uint8Array | string | undefined;
  /** Whether pieces are views of a shared buffer. */
  readonly shared?: boolean;
  /** Bytes kept in memory until the last piece, if pieces are made from larger data. */
  readonly held?: number;
  /** The whole content, if it is in memory. A string must be ASCII. */
  readonly content?: string | Uint8Array;
  /** Trailers (RFC 9110 6.5). Read after the last piece, and sent if the protocol supports them. */
  readonly trailers?: FieldLines;
}

export interface TimedStream {
  readonly kind: 'timed';
  /** Total length in bytes, if known. */
  readonly length?: number;
  /** Bytes kept in memory until the last piece. */
  readonly held?: number;
  /** Trailers, read after the last piece. */
  readonly trailers?: FieldLines;
  /**
   * The next piece that is due, of at most `size` bytes even if more are due. All pieces are bytes, or all are ASCII
   * strings. null while nothing is due, undefined after the last piece.
   */
  next(size: number): Uint8Array | string | null | undefined;
  /**
   * Waits until something may be due, or the end is reached. Called after `next` has returned null.
   *
   * @param signal aborts when the client disconnects; timers must then be cleared immediately
   * @throws AbortError when `signal` aborts
   */
  wait(signal: AbortSignal): Promise<void>;
}

/** Text as UTF-8. ASCII stays a string: HTTP/1.x joins it to the header section without encoding it first. */
export function textPayload(text: string): string | Uint8Array {
  return Buffer.byteLength(text) === text.length ? text : Buffer.from(text);
}

/** Length of the payload in bytes; undefined if it is unknown or must not be sent. */
export function payloadLength(payload: Payload): number | undefined {
  return isWhole(payload) || 'length' in payload ? payload.length : undefined;
}

/** Bytes that a payload keeps in memory until the client has read all of it. */
export function heldBytes(payload: Payload): number {
  return isWhole(payload) ? payload.length : (payload.held ?? 0);
}

export function trailersOf(payload: Payload): FieldLines | undefined {
  return !isWhole(payload) && 'trailers' in payload ? payload.trailers : undefined;
}

/** A payload of `count` pieces, which are sent as fast as the client reads. */
export function streamPieces(count: number, piece: (at: number) => Uint8Array | string): Streamed {
  let at = 0;
  return { kind: 'streamed', next: () => (at < count ? piece(at++) : undefined) };
}

/**
 * A payload of the strings of a generator. The next string is requested once the previous one has been sent.
 *
 * @param begin starts the generator; `signal` aborts when the client disconnects, and must then end a wait immediately
 */
export function textStream(begin: (signal: AbortSignal) => AsyncGenerator<string>): TimedStream {
  let texts: AsyncGenerator<string> | undefined;
  return textPages('', async (put, signal) => {
    if (!texts) {
      const generator = begin(signal);
      texts = generator;
      // The client may disconnect while a string is being sent, when nothing awaits the generator.
      signal.addEventListener('abort', () => void generator.return(undefined), { once: true });
    }
    const { value, done = false } = await texts.next();
    if (!done) put(value);
    return !done;
  });
}

/**
 * A payload of texts. Each is made once the previous one has been sent, and kept only as bytes. A generator would also
 * retain its string on the heap for as long as the client does not read.
 *
 * @param make passes the next text to `put`, and returns whether there was one. If the promise had the text as its
 * value and waited for long, V8 would retain the text until the next mark-compact.
 */
export function textPages(
  first: string,
  make: (put: (text: string) => void, signal: AbortSignal) => Promise<boolean>,
): TimedStream {
  let page: PullSource | undefined = pullBytes(Buffer.from(first));
  let isDone = false;
  const put = (text: string): void => {
    page = pullBytes(Buffer.from(text));
  };
  return {
    kind: 'timed',
    next: (size) => page?.next(size) ?? (isDone ? undefined : null),
    async wait(signal) {
      signal.throwIfAborted();
      page = undefined;
      isDone = !(await make(put, signal));
    },
  };
}

/**
 * A payload of generated bytes.
 *
 * @param generate returns the next bytes, between 1 and `size` of them
 * @param shared as in `PullSource`
 */
export function pullSource(
  length: number,
  generate: (size: number) => Uint8Array,
  shared = false,
): PullSource {
  let remaining = length;
  return {
    kind: 'pulled',
    length,
    shared,
    next(size) {
      if (remaining === 0) return undefined;
      const chunk = generate(Math.min(size, remaining));
      remaining -= chunk.length;
      return chunk;
    },
  };
}

/** Makes a source repeatable. @param make must make the same content each time */
export function repeatable(make: () => PullSource): Repeatable {
  const source = make();
  // Lists the properties, because V8 takes 1.5 µs for a spread in a literal with further properties.
  const { kind, length, shared = false, held = 0, release } = source;
  const next = (size: number): Uint8Array | undefined => source.next(size);
  return { kind, length, shared, held, next, release, fix: () => make };
}

/** Bytes in memory as a pull source. */
export function pullBytes(bytes: Uint8Array): Repeatable {
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
    fix: () => () => pullBytes(bytes),
  };
}

/** Non-contiguous bytes in memory as a pull source. @param held number of bytes that are kept only for this response */
export function pullParts(parts: readonly Uint8Array[], held: number): Repeatable {
  const length = parts.reduce((sum, part) => sum + part.length, 0);
  return repeatable(() => ({
    ...sequence(parts.map(pullBytes).values(), length),
    shared: true,
    held,
  }));
}

/** Joins payloads one after the other. @param length total length in bytes */
export function sequence(parts: Iterator<PullSource>, length: number): PullSource {
  let current = parts.next();
  return {
    kind: 'pulled',
    length,
    next(size) {
      for (; !current.done; current = parts.next()) {
        const chunk = current.value.next(size);
        if (chunk) return chunk;
      }
      return undefined;
    },
  };
}

/** Splits a payload in memory into pieces. Node would copy it if it were written as a whole, and again for TLS. */
export function splitIntoPieces(payload: string | Uint8Array): Repeatable {
  return pullBytes(typeof payload === 'string' ? Buffer.from(payload, 'latin1') : payload);
}

/** Content in memory, followed by trailers. @param content if a string, it must be ASCII */
export function withTrailers(content: string | Uint8Array, trailers: FieldLines): Streamed {
  const pieces = splitIntoPieces(content);
  const next = (size: number): Uint8Array | undefined => pieces.next(size);
  return { kind: 'streamed', shared: true, held: content.length, next, content, trailers };
}

/** Whether the payload is entirely in memory. */
export function isWhole(payload: Payload): payload is string | Uint8Array {
  return typeof payload === 'string' || payload instanceof Uint8Array;
}
