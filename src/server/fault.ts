import { invalidParameter, Problem } from '../http/problem.ts';

/**
 * Where a response fails:
 *
 * - start: before its first byte
 * - headers: in the middle of the header section on HTTP/1.x, after HEADERS on HTTP/2
 * - body: after some of the content
 * - end: after all of the content, without the end of the message
 */
export const FAULT_POINTS = ['start', 'headers', 'body', 'end'] as const;
export type FaultPoint = (typeof FAULT_POINTS)[number];

export interface Position {
  readonly at: FaultPoint;
  /** With `at: 'body'`: bytes of content before the fault. */
  readonly after: number;
}

/** Choices for the last stream id of a GOAWAY, up to which streams may have been processed (RFC 9113 6.8). */
export const LAST_STREAMS = ['this', 'previous', 'zero', 'max'] as const;
export type LastStream = (typeof LAST_STREAMS)[number];

/**
 * Faults of chunked coding (RFC 9112 7.1), including two valid forms that many recipients reject; `http-1.0` is valid but
 * for the version of the request.
 */
export const CHUNK_FAULTS = [
  'bad-size',
  'overflow',
  'no-crlf',
  'no-last',
  'long-extension',
  'forbidden-trailer',
  'http-1.0',
] as const;
export type ChunkFault = (typeof CHUNK_FAULTS)[number];

/** Faults of a header section that violate RFC 9112 2 to 6. */
export const HTTP1_HEAD_FAULTS = [
  'bare-lf',
  'obs-fold',
  'space-before-colon',
  'no-colon',
  'nul',
  'two-lengths',
  'length-and-chunked',
  'no-status',
  'bad-version',
] as const;
export type Http1HeadFault = (typeof HTTP1_HEAD_FAULTS)[number];

/** Faults of a header section that violate RFC 9113 8.2 and 8.3. */
export const HTTP2_HEAD_FAULTS = [
  'uppercase',
  'connection-field',
  'no-status',
  'late-pseudo',
] as const;
export type Http2HeadFault = (typeof HTTP2_HEAD_FAULTS)[number];

/** A valid header section that exceeds the limits of most recipients. */
export type LargeHead =
  /** Size of the header section in bytes (uncompressed on HTTP/2), unless the response's own fields are larger. */
  | { readonly how: 'size'; readonly bytes: number }
  /** Number of fields, unless the response itself has more. */
  | { readonly how: 'count'; readonly fields: number };

/** Frames that violate RFC 9113 or, in the case of `unknown-type`, must be ignored. */
export const BROKEN_FRAMES = [
  'data-on-stream-0',
  'window-0',
  'window-overflow',
  'too-large',
  'unknown-type',
  'rst-idle',
  'push-promise',
  'data-after-end',
] as const;
export type BrokenFrame = (typeof BROKEN_FRAMES)[number];

/** A fault of a response. A protocol adapter throws a Problem if its protocol does not have the fault. */
export type Fault =
  | (Position & { readonly kind: 'close' | 'truncate-tls' })
  | (Position & {
      readonly kind: 'reset';
      /** Seconds between the last byte and the RST; 0 by default. */
      readonly seconds?: number;
    })
  | (Position & {
      readonly kind: 'stall';
      /** Seconds after which the connection, or the stream on HTTP/2, is closed. */
      readonly seconds: number;
    })
  | (Position & {
      readonly kind: 'rst-stream';
      /** Error code (RFC 9113 7), 0 to 2^32 - 1. */
      readonly code: number;
    })
  | (Position & {
      readonly kind: 'goaway';
      readonly code: number;
      readonly last: LastStream;
      /** Additional Debug Data. */
      readonly debug: Uint8Array;
      /** Whether to finish open streams, or to close the connection immediately. */
      readonly then: 'finish' | 'close';
    })
  | {
      readonly kind: 'content-length';
      /** Value of Content-Length. */
      readonly declared: number;
      /** Number of bytes sent. */
      readonly sent: number;
    }
  | { readonly kind: 'chunk'; readonly how: ChunkFault }
  | { readonly kind: 'head'; readonly how: Http1HeadFault | Http2HeadFault }
  | ({ readonly kind: 'head' } & LargeHead)
  | {
      /** Sends the header section byte by byte, which breaks no rule. */
      readonly kind: 'slow-head';
      /** Bytes per second; on HTTP/2, those of the HEADERS frame. */
      readonly rate: number;
      /** Maximum seconds that the header section may take. */
      readonly max: number;
    }
  | (Position & {
      /** Sends random bytes instead of the rest of the response. */
      readonly kind: 'garbage';
      readonly length: number;
      /** 0 to 2^32 - 1; without a seed, the bytes differ each time. */
      readonly seed?: number;
      /** Seconds between the last byte and the end of the connection; 0 by default. */
      readonly seconds?: number;
    })
  | {
      readonly kind: 'frame';
      readonly how: BrokenFrame;
      /** Seconds between the frame and the end of the connection; 0 by default. */
      readonly seconds?: number;
    }
  | {
      /** HTTP/2: sends content that is in memory in small padded frames (RFC 9113 6.1). */
      readonly kind: 'padding';
      /** Bytes of content per frame. */
      readonly size: number;
      /** Bytes of padding per frame, 0 to 255. */
      readonly padding: number;
    }
  | {
      /** Stops reading the request content. */
      readonly kind: 'no-read';
      readonly after: number;
      readonly seconds: number;
      /** HTTP/2: which flow-control window is not renewed. */
      readonly scope: 'stream' | 'connection';
    }
  | {
      /** Sends these bytes as the whole response: any bytes on HTTP/1.1, frames on HTTP/2. */
      readonly kind: 'raw';
      readonly bytes: Uint8Array;
      /** HTTP/1.1: what happens to the connection afterwards. */
      readonly then?: 'close' | 'keep';
    };

/** What metrics, journal and log show of a fault, including those of a WebSocket. */
export interface NamedFault {
  readonly kind: string;
  /** Seconds between the response and the fault. */
  readonly seconds?: number;
}

export type FaultOf<Kind extends Fault['kind']> = Extract<Fault, { readonly kind: Kind }>;

/** Last segments of the paths below /fault, in the order of the index page. */
export const FAULT_NAMES = [
  'close',
  'reset',
  'truncate-tls',
  'stall',
  'rst-stream',
  'goaway',
  'content-length',
  'chunk',
  'head',
  'slow-head',
  'garbage',
  'no-read',
] as const;
export type FaultName = (typeof FAULT_NAMES)[number];

/** Makes the problem fault-unavailable. @param why continues a sentence that begins with the name of the fault */
export function faultUnavailable(fault: Fault, why: string): Problem {
  // Broken frames are a parameter of /fault/garbage.
  const name = fault.kind === 'frame' ? `garbage: frame=${fault.how}` : fault.kind;
  return new Problem('fault-unavailable', `${name}: ${why}`);
}

/**
 * Checks that a slow header section does not take too long.
 *
 * @param length of the header section, in bytes
 * @param max in seconds
 * @throws Problem invalid-parameter
 */
export function checkSlowHead({ rate }: FaultOf<'slow-head'>, length: number, max: number): void {
  const seconds = length / rate;
  if (seconds <= max) return;
  const what = `gives ${Math.ceil(seconds)} s for ${length} bytes, the maximum is ${max} s`;
  throw invalidParameter('rate', String(rate), what);
}

/** Replaces Content-Length, or removes it if `length` is undefined. */
export function withContentLength(fields: readonly string[], length?: number): string[] {
  const others = fields.filter(
    (_, at) => fields[at - (at % 2)]?.toLowerCase() !== 'content-length',
  );
  return length === undefined ? others : [...others, 'Content-Length', String(length)];
}

/** Estimated bytes of memory for a field in nghttp2. */
const FIELD_SIZE = 64;

export function isLargeHead(fault: Fault): fault is FaultOf<'head'> & LargeHead {
  return fault.kind === 'head' && (fault.how === 'size' || fault.how === 'count');
}

/** Maximum bytes in the value of a field that enlarges a header section. */
const MAX_PADDING = 8 * 1024;

/**
 * Lengths of the values of fields that have a number of bytes together; none if that is less than one field has.
 *
 * @param overhead bytes of a field with an empty value
 */
export function* paddingLengths(bytes: number, overhead: number): Generator<number> {
  for (let missing = bytes; missing >= overhead;) {
    let length = Math.min(missing - overhead, MAX_PADDING);
    const rest = missing - overhead - length;
    // Leave room for one more field.
    if (rest > 0 && rest < overhead) length -= overhead;
    yield length;
    missing -= length + overhead;
  }
}

/** Bytes that a fault adds to the header section. */
export function addedToHead(fault: Fault): number {
  if (!isLargeHead(fault)) return 0;
  return fault.how === 'size' ? fault.bytes : fault.fields * FIELD_SIZE;
}

/**
 * Bytes of unread request content that a fault keeps in memory.
 *
 * @param maxWindow of an HTTP/2 stream; 0 on HTTP/1.x, where content stays in the socket
 */
export function heldByFault(fault: Fault, maxWindow: number): number {
  return fault.kind === 'no-read' && fault.scope === 'stream' ? maxWindow : 0;
}
