import type { ReasonPhrases } from '../../../http/status.ts';
import {
  checkSlowHead,
  faultUnavailable,
  HTTP1_HEAD_FAULTS,
  withContentLength,
  type ChunkFault,
  type Fault,
  type FaultOf,
  type Position,
} from '../../../server/fault.ts';
import { closing, type FaultStep } from '../../../server/fault-plan.ts';
import { payloadLength, type Payload } from '../../../server/payload.ts';
import { randomSequence } from '../../../server/random-bytes.ts';
import { CHUNKED, headerSection, lastChunk } from '../response.ts';
import { breakHead, enlargement } from './head.ts';

/** The response as it would be without the fault. */
export interface SoundResponse {
  readonly status: number;
  readonly phrases: ReasonPhrases;
  readonly fields: readonly string[];
  /** The content; empty for HEAD. */
  readonly payload: Payload;
  /** Whether the response may have content; false for HEAD. */
  readonly hasContent: boolean;
  /** Whether content without a known length is chunked; false on HTTP/1.0. */
  readonly hasChunks: boolean;
}

type Step = FaultStep<'complete'>;

/** The bytes of a faulty response, in order. Strings are in Latin-1. */
export interface FaultyBytes {
  /** The header section, or the part of it that is sent. */
  readonly head: string;
  /** Rate at which `head` is sent byte by byte, in bytes per second; undefined to send it as a whole. */
  readonly headRate?: number;
  /** The rest of a large header section, in pieces, each created after the previous one was sent. */
  readonly moreHead?: Iterable<string>;
  readonly payload: Payload;
  /** Number of payload bytes after which the response ends. */
  readonly limit: number;
  /** Text before each piece of the payload. */
  readonly chunkStart: (size: number, isFirst: boolean) => string;
  /** Text after each piece of the payload. */
  readonly chunkEnd: string;
  /** Text after the payload. */
  readonly tail: string;
  /** Steps after the last byte. */
  readonly ending: readonly Step[];
}

const GRACEFUL = closing('graceful');
/** The steps after a complete response: the next response follows, or the connection closes as usual. */
export const COMPLETE: readonly Step[] = [{ do: 'own', step: 'complete' }];

/** The steps that send the bytes. */
export function stepsOf({
  head,
  headRate: rate,
  moreHead = [],
  limit,
  tail,
  ending,
}: FaultyBytes): Step[] {
  return [
    rate === undefined
      ? { do: 'bytes', pieces: encoded([head]) }
      : { do: 'slow-bytes', bytes: Buffer.from(head, 'latin1'), rate },
    { do: 'bytes', pieces: encoded(moreHead) },
    { do: 'content', bytes: limit },
    { do: 'bytes', pieces: encoded([tail]) },
    ...ending,
  ];
}

function* encoded(texts: Iterable<string>): Generator<Buffer> {
  for (const text of texts) yield Buffer.from(text, 'latin1');
}

/** Makes a faulty response. @throws Problem fault-unavailable if the fault is not possible on this connection */
export function faultyResponse(
  sound: SoundResponse,
  fault: Exclude<Fault, FaultOf<'no-read'>>,
  isSecure: boolean,
): FaultyBytes {
  switch (fault.kind) {
    case 'close':
      return cut(framed(sound), fault, GRACEFUL);
    case 'reset':
      return cut(framed(sound), fault, closing('reset', fault.seconds));
    case 'truncate-tls':
      if (!isSecure) throw faultUnavailable(fault, 'the connection does not use TLS');
      return cut(framed(sound), fault, closing('truncate'));
    case 'stall':
      return cut(framed(sound), fault, closing('graceful', fault.seconds));
    case 'content-length': {
      const fields = withContentLength(sound.fields, fault.declared);
      return { ...framed({ ...sound, fields }, false), limit: fault.sent, ending: GRACEFUL };
    }
    case 'chunk': {
      checkVersion(fault, sound.hasChunks);
      const fields = withContentLength(sound.fields);
      const response = framed({ ...sound, fields }, true);
      return sound.hasContent ? breakChunks(response, fault.how) : response;
    }
    case 'head':
      return faultyHead(sound, fault);
    case 'slow-head': {
      const response = framed(sound);
      checkSlowHead(fault, response.head.length, fault.max);
      return { ...response, headRate: fault.rate };
    }
    case 'garbage':
      return cut(framed(sound), fault, [
        { do: 'bytes', pieces: randomSequence(fault.length, fault.seed) },
        ...closing('graceful', fault.seconds),
      ]);
    case 'raw':
      return verbatim(fault.bytes, fault.then === 'keep' ? COMPLETE : GRACEFUL);
    case 'rst-stream':
      throw faultUnavailable(fault, 'HTTP/1.1 has no streams; /fault/reset resets the connection');
    case 'goaway':
    case 'frame':
    case 'padding':
      throw faultUnavailable(fault, 'HTTP/1.1 has no frames');
  }
}

const NOTHING = { chunkStart: (): string => '', chunkEnd: '', tail: '' };

/** The bytes of the response without its fault. */
function framed(
  { status, phrases, fields, payload, hasContent, hasChunks }: SoundResponse,
  isChunked = hasChunks && payloadLength(payload) === undefined,
): FaultyBytes {
  const head = headerSection(status, isChunked ? [...fields, ...CHUNKED] : fields, phrases);
  const framing = isChunked && hasContent ? CHUNKS : NOTHING;
  return { head, payload, limit: Infinity, ...framing, ending: COMPLETE };
}

/** Framing of chunks (RFC 9112 7.1). */
const CHUNKS = {
  chunkStart: (size: number): string => `${size.toString(16)}\r\n`,
  chunkEnd: '\r\n',
  tail: lastChunk([]),
};

/** The part of a response before the point at which it fails. */
function cut(response: FaultyBytes, { at, after }: Position, ending: readonly Step[]): FaultyBytes {
  const { head } = response;
  const part = { ...response, tail: '', ending };
  switch (at) {
    case 'start':
      return { ...part, head: '', limit: 0 };
    case 'headers':
      return { ...part, head: head.slice(0, head.length / 2), limit: 0 };
    case 'body':
      return { ...part, limit: after };
    case 'end':
      return part;
  }
}

function verbatim(payload: Payload, ending: readonly Step[]): FaultyBytes {
  return { head: '', payload, limit: Infinity, ...NOTHING, ending };
}

/** Length of a chunk extension in bytes: more than most recipients accept. */
const LONG_EXTENSION = 64 * 1024;
/** A chunk size that overflows 64 bits to 0. */
const OVERFLOW = `1${'0'.repeat(16)}`;

/** Checks that the request has the version of HTTP/1.x that a fault of chunks is for. @throws Problem fault-unavailable */
function checkVersion(fault: FaultOf<'chunk'>, hasChunks: boolean): void {
  if (fault.how !== 'http-1.0') {
    if (!hasChunks) throw faultUnavailable(fault, 'HTTP/1.0 has no chunked coding');
  } else if (hasChunks) {
    throw faultUnavailable(fault, 'how=http-1.0 is for HTTP/1.0, which has no chunked coding');
  }
}

function breakChunks(response: FaultyBytes, how: ChunkFault): FaultyBytes {
  const { chunkStart } = response;
  switch (how) {
    case 'bad-size':
      return { ...response, tail: 'size\r\n', ending: GRACEFUL };
    case 'overflow':
      return { ...response, tail: `${OVERFLOW}\r\noverflow\r\n0\r\n\r\n`, ending: GRACEFUL };
    case 'no-crlf':
      return { ...response, chunkEnd: '', ending: GRACEFUL };
    case 'no-last':
      return { ...response, tail: '', ending: GRACEFUL };
    case 'long-extension': {
      const extension = `;x=${'x'.repeat(LONG_EXTENSION)}\r\n`;
      return {
        ...response,
        chunkStart: (size, isFirst) =>
          isFirst ? size.toString(16) + extension : chunkStart(size, isFirst),
      };
    }
    case 'http-1.0':
      return response;
    case 'forbidden-trailer':
      return { ...response, tail: '0\r\nContent-Length: 0\r\nHost: localhost\r\n\r\n' };
  }
}

function faultyHead(sound: SoundResponse, fault: FaultOf<'head'>): FaultyBytes {
  const response = framed(sound);
  if (fault.how === 'size' || fault.how === 'count') {
    const { head } = response;
    return { ...response, head: head.slice(0, -2), moreHead: enlargement(head, fault) };
  }
  const how = HTTP1_HEAD_FAULTS.find((known) => known === fault.how);
  if (how === undefined) {
    throw faultUnavailable(
      fault,
      `how=${fault.how} is for HTTP/2; HTTP/1.1 has ${HTTP1_HEAD_FAULTS.join(', ')}, size, count`,
    );
  }
  const broken = { ...response, head: breakHead(response.head, how) };
  switch (how) {
    // Closes the connection, because the recipient cannot know where the content ends.
    case 'two-lengths':
    case 'no-status':
      return { ...broken, ending: GRACEFUL };
    case 'length-and-chunked': {
      const framing = sound.hasContent ? CHUNKS : NOTHING;
      return { ...broken, ...framing, ending: GRACEFUL };
    }
    default:
      return broken;
  }
}
