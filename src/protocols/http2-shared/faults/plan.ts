import { fieldPairs } from '../../../http/fields.ts';
import {
  DEFAULT_MAX_FRAME_SIZE,
  Flag,
  frame,
  FrameSplitter,
  FrameType,
  goaway,
  MAX_STREAM,
} from '../../../wire/http2/frame.ts';
import { fieldBlock } from '../../../wire/http2/hpack-encoder.ts';
import { ErrorCode } from '../../../wire/http2/names.ts';
import {
  checkSlowHead,
  faultUnavailable,
  HTTP2_HEAD_FAULTS,
  withContentLength,
  type Fault,
  type FaultOf,
  type Http1HeadFault,
  type Http2HeadFault,
  type Position,
} from '../../../server/fault.ts';
import { closing, type FaultStep } from '../../../server/fault-plan.ts';
import { isWhole, payloadLength, splitIntoPieces, type Payload } from '../../../server/payload.ts';
import { randomSequence } from '../../../server/random-bytes.ts';
import { framesWith, responseFrame } from './broken-frame.ts';
import { lowerCase, type Pair } from './head.ts';

/** Steps that only HTTP/2 has. */
export type Http2Step =
  /** Sends HEADERS, unless they have been sent. Names and values alternate. */
  | { readonly kind: 'begin'; readonly fields: readonly string[] }
  /** Sends HEADERS as they are, which may be invalid. */
  | { readonly kind: 'begin-verbatim'; readonly fields: readonly Pair[] }
  /** Sends the content as without a fault, and ends the stream. */
  | { readonly kind: 'respond' }
  | { readonly kind: 'end-stream' }
  /** Waits until all frames are written. With `begun`, later steps are skipped if the stream was then reset. */
  | { readonly kind: 'flush' | 'begun' }
  | { readonly kind: 'reset'; readonly code: number }
  | {
      readonly kind: 'goaway';
      readonly code: number;
      /** undefined means the last stream that was processed. */
      readonly lastStream: number | undefined;
      readonly debug: Uint8Array;
    }
  /** Waits for the acknowledgement of a PING. */
  | { readonly kind: 'round-trip' }
  /** Waits until no stream is open (`idle`), or until all open streams wait for this (`alone`). */
  | { readonly kind: 'idle' | 'alone' }
  /** Sends the response in padded DATA frames on a connection without its session. */
  | {
      readonly kind: 'padded';
      readonly head: Buffer;
      readonly size: number;
      readonly padding: number;
    }
  /** Sends the content in padded DATA frames. */
  | { readonly kind: 'respond-padded'; readonly size: number; readonly padding: number }
  /** Keeps the connection open, at least for a while, after the bytes of the whole response have been sent. */
  | { readonly kind: 'keep' };

type Step = FaultStep<Http2Step>;

/** What a session can send. */
export interface Sending {
  /** Maximum frame payload in bytes that the client accepts. */
  readonly maxFrameSize: number;
  /** Bytes of content that the client currently accepts. */
  readonly window: number;
  /**
   * Whether the session sends any frame, and goes on after it. Node's sends valid ones only: for others it has to end,
   * and the bytes are written without it.
   */
  readonly sendsAnyFrame: boolean;
}

/** The response as it would be without the fault. */
interface SoundResponse extends Sending {
  /** Stream identifier (RFC 9113 5.1.1). */
  readonly stream: number;
  readonly status: number;
  /** Names and values alternate. */
  readonly fields: readonly string[];
  readonly isSecure: boolean;
  /** The content; empty for HEAD. */
  readonly content: Payload;
}

/** Faults that have a plan: all but those that stop reading, and large header sections, which are valid. */
export type PlannedFault =
  | Exclude<Fault, { kind: 'no-read' | 'head' }>
  | { readonly kind: 'head'; readonly how: Http1HeadFault | Http2HeadFault };

const own = (step: Http2Step): Step => ({ do: 'own', step });
const RESPOND = own({ kind: 'respond' });
const END_STREAM = own({ kind: 'end-stream' });
const FLUSH = own({ kind: 'flush' });
const CLOSE: Step = { do: 'close', how: 'graceful' };
const KEEP = own({ kind: 'keep' });

/** Maximum seconds of a slow header section. Otherwise only the lifetime of the detached connection limits it. */
const MAX_SLOW_HEAD = 30;

/** Maximum bytes of a broken frame: a client may accept frames of up to 16 MiB. */
const MAX_BROKEN_FRAME = 1024 * 1024;

/** The steps of a fault. @throws Problem fault-unavailable if it is not possible on this connection */
export function planOf(fault: PlannedFault, response: SoundResponse): Step[] {
  const { stream, status, fields, maxFrameSize } = response;
  switch (fault.kind) {
    case 'close':
      return [...stepsUntil(response, fault), CLOSE];
    case 'reset':
      return [...stepsUntil(response, fault), ...closing('reset', fault.seconds)];
    case 'truncate-tls':
      if (!response.isSecure) throw faultUnavailable(fault, 'the connection does not use TLS');
      return [...stepsUntil(response, fault), { do: 'close', how: 'truncate' }];
    case 'stall': {
      const code = ErrorCode.cancel;
      const pause: Step = { do: 'pause', seconds: fault.seconds };
      return [...stepsUntil(response, fault), pause, own({ kind: 'reset', code })];
    }
    case 'rst-stream':
      return [...stepsUntil(response, fault), own({ kind: 'reset', code: fault.code })];
    case 'goaway':
      return goawaySteps(response, fault);
    case 'content-length':
      return [
        own({ kind: 'begin', fields: withContentLength(fields, fault.declared) }),
        ...contentUntil(response, fault.sent),
      ];
    case 'chunk':
      throw faultUnavailable(fault, 'HTTP/2 has no chunked transfer coding (RFC 9113 8.1)');
    case 'head':
      return malformedHead(response, fault);
    case 'slow-head':
      return slowHead(response, fault);
    case 'garbage':
      return [
        ...stepsUntil(response, fault),
        { do: 'bytes', pieces: randomSequence(fault.length, fault.seed) },
        ...closing('graceful', fault.seconds),
      ];
    case 'frame': {
      if (fault.how === 'too-large' && maxFrameSize >= MAX_BROKEN_FRAME) {
        throw faultUnavailable(fault, `the client accepts frames of ${maxFrameSize} bytes`);
      }
      const head = fieldBlock([[':status', String(status)]]);
      const pieces = framesWith(fault.how, { stream, head }, maxFrameSize);
      return [{ do: 'bytes', pieces }, ...closing('graceful', fault.seconds)];
    }
    case 'padding': {
      const { size, padding } = fault;
      if (response.sendsAnyFrame)
        return [own({ kind: 'begin', fields }), own({ kind: 'respond-padded', size, padding })];
      const head = fieldBlock([[':status', String(status)], ...lowerCase(fields)]);
      return [own({ kind: 'alone' }), own({ kind: 'padded', head, size, padding })];
    }
    case 'raw':
      // No frame can follow a part of one.
      return [
        { do: 'bytes', pieces: [fault.bytes] },
        response.sendsAnyFrame && !endsWithFrame(fault.bytes) ? CLOSE : KEEP,
      ];
  }
}

/** Whether the bytes end with a frame. */
function endsWithFrame(frames: Uint8Array): boolean {
  const splitter = new FrameSplitter();
  splitter.push(Buffer.from(frames));
  return splitter.isComplete;
}

/** The steps of the response before the point at which it fails. */
function stepsUntil({ fields }: SoundResponse, { at, after }: Position): Step[] {
  if (at === 'start') return [];
  const bytes = { headers: 0, body: after, end: Infinity }[at];
  return [own({ kind: 'begin', fields }), { do: 'content', bytes }, own({ kind: 'begun' })];
}

/** Sends at most so many bytes of the content, and ends the stream. */
function contentUntil({ content }: SoundResponse, bytes: number): Step[] {
  const length = payloadLength(content) ?? Infinity;
  return length <= bytes ? [RESPOND] : [{ do: 'content', bytes }, END_STREAM];
}

/**
 * Sends GOAWAY. If the response is to be finished, the connection is closed after the response. Streams above the last
 * one that the GOAWAY names are dropped, and new ones ignored (RFC 9113 6.8).
 */
function goawaySteps(response: SoundResponse, fault: FaultOf<'goaway'>): Step[] {
  const { code, last, debug } = fault;
  const { stream, fields } = response;
  const isFinished = fault.then === 'finish';
  const before = stepsUntil(response, fault);
  const streams = { this: stream, previous: Math.max(0, stream - 2), zero: 0, max: MAX_STREAM };
  const lastStream = streams[last];
  if (lastStream === 0 && response.sendsAnyFrame) {
    const zero = own({ kind: 'goaway', code, lastStream, debug });
    return [...before, zero, isFinished ? KEEP : CLOSE];
  }
  if (lastStream === 0) {
    // Sent as bytes, because Node would replace 0 with the last stream that it has processed.
    return [
      ...before,
      { do: 'bytes', pieces: [goaway(0, code, debug)] },
      isFinished ? KEEP : CLOSE,
    ];
  }
  // A graceful shutdown sends a second GOAWAY, because requests may still be on their way (RFC 9113 6.8).
  const second = [
    FLUSH,
    own({ kind: 'round-trip' }),
    own({ kind: 'goaway', code, lastStream: undefined, debug }),
  ];
  const rest: Step[] = [
    own({ kind: 'begin', fields }),
    { do: 'content', bytes: Infinity },
    END_STREAM,
    own({ kind: 'idle' }),
  ];
  return [
    ...before,
    own({ kind: 'goaway', code, lastStream, debug }),
    ...(isFinished && last === 'max' ? second : []),
    ...(isFinished ? rest : []),
    FLUSH,
    CLOSE,
  ];
}

/**
 * Sends the HEADERS frame byte by byte, and then the content. No other frame may come in between, so a session of Node
 * has to end: the fault waits for its other streams, and later requests are not served. PING is acknowledged after the
 * response. As the content is then sent without the session, it has to fit into one frame and into the windows.
 */
function slowHead(response: SoundResponse, fault: FaultOf<'slow-head'>): Step[] {
  const { stream, status, fields, content, window } = response;
  const block = fieldBlock([[':status', String(status)], ...lowerCase(fields)]);
  if (block.length > DEFAULT_MAX_FRAME_SIZE) {
    throw faultUnavailable(fault, 'on HTTP/2 the header section has to fit into one frame');
  }
  const seconds = Math.min(fault.max, MAX_SLOW_HEAD);
  if (response.sendsAnyFrame) {
    const bytes = frame(FrameType.headers, Flag.endHeaders, stream, block);
    checkSlowHead(fault, bytes.length, seconds);
    return [{ do: 'slow-bytes', bytes, rate: fault.rate }, RESPOND];
  }
  const size = payloadLength(content);
  if (size === undefined || (!isWhole(content) && content.kind === 'timed')) {
    throw faultUnavailable(fault, 'on HTTP/2 the content has a length, and is sent at once');
  }
  const max = Math.min(DEFAULT_MAX_FRAME_SIZE, window);
  if (size > max) {
    throw faultUnavailable(fault, `on HTTP/2 with ${size} bytes of content; the maximum is ${max}`);
  }
  const flags = Flag.endHeaders | (size === 0 ? Flag.endStream : 0);
  const bytes = frame(FrameType.headers, flags, stream, block);
  checkSlowHead(fault, bytes.length, seconds);
  return [
    own({ kind: 'alone' }),
    { do: 'slow-bytes', bytes, rate: fault.rate },
    { do: 'bytes', pieces: size === 0 ? [] : dataFrames(stream, content) },
    KEEP,
  ];
}

/** The content in DATA frames. The last one is empty, because only then is it known that no content follows. */
function* dataFrames(stream: number, content: Payload): Generator<Buffer> {
  const source = isWhole(content) ? splitIntoPieces(content) : content;
  for (;;) {
    const piece = source.next(DEFAULT_MAX_FRAME_SIZE);
    if (!piece) break;
    yield frame(FrameType.data, 0, stream, Buffer.from(piece));
  }
  yield frame(FrameType.data, Flag.endStream, stream);
}

/** The steps of a response with an invalid header section. */
const verbatim = (fields: readonly Pair[]): Step[] => [
  own({ kind: 'begin-verbatim', fields }),
  RESPOND,
];

/** The steps of a malformed header section (RFC 9113 8.2 and 8.3). */
function malformedHead(
  response: SoundResponse,
  fault: Extract<PlannedFault, { kind: 'head' }>,
): Step[] {
  const pseudo = [':status', String(response.status)] as const;
  const fields = lowerCase(response.fields);
  switch (fault.how) {
    case 'uppercase':
      return uppercase(response, pseudo);
    case 'connection-field':
      return verbatim([pseudo, ...fields, ['connection', 'keep-alive']]);
    case 'no-status':
      return verbatim(fields);
    case 'late-pseudo':
      return verbatim([...fields, pseudo]);
    default: {
      const known = HTTP2_HEAD_FAULTS.join(', ');
      const why = `how=${fault.how} is for HTTP/1.1; HTTP/2 has ${known}, size, count`;
      throw faultUnavailable(fault, why);
    }
  }
}

/**
 * Field names with upper-case letters. Node's sessions send only lower-case ones, and have to end: the fault waits for
 * the other streams, and sends GOAWAY. Its response has no content, which could exceed a flow-control window.
 */
function uppercase({ stream, fields, sendsAnyFrame }: SoundResponse, pseudo: Pair): Step[] {
  if (sendsAnyFrame) return verbatim([pseudo, ...fieldPairs(fields)]);
  const withoutLength = fieldPairs(withContentLength(fields));
  const response = responseFrame({ stream, head: fieldBlock([pseudo, ...withoutLength]) });
  const pieces = [response, goaway(stream, ErrorCode.noError)];
  return [own({ kind: 'alone' }), { do: 'bytes', pieces }, CLOSE];
}
