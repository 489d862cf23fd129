import { fieldPairs } from '../http/fields.ts';
import type { Fault } from '../server/fault.ts';
import { Problem } from '../http/problem.ts';
import { withTrailers, type TimedStream } from '../server/payload.ts';
import type { Reply } from '../server/reply.ts';
import type { Request } from '../server/request.ts';
import { GrpcStatus } from '../wire/grpc/status.ts';
import { COMPRESSED, PREFIX_LENGTH } from '../wire/grpc/message.ts';

/** Milliseconds to wait for an acknowledgement of the client. */
const ACK_TIMEOUT = 5000;
/** Bytes of DATA between two PINGs. */
const PING_INTERVAL = 16 * 1024;

/** Bytes of content of a frame with padding, and below, of all together. */
const PADDED_SIZE = 100;
const MAX_PADDED = 1024 * 1024;

/** A fault of a call: what it makes of the response. */
export interface CallFault {
  /** For documentation. */
  readonly summary: string;
  /** @param reply the response without it; it has no payload if the call has ended without a message */
  readonly apply: (reply: Reply, request: Request) => Reply | Promise<Reply>;
}

/** Faults by name, those of gRPC's negative tests (grpc/grpc doc/http2-interop-test-descriptions.md) first. */
export const CALL_FAULTS: ReadonlyMap<string, CallFault> = new Map(
  Object.entries({
    goaway: http2('GOAWAY before the response, which is completed.', {
      kind: 'goaway',
      at: 'start',
      after: 0,
      code: 0,
      last: 'this',
      debug: new Uint8Array(0),
      then: 'finish',
    }),
    rst_after_header: http2('RST_STREAM after the header section.', reset('headers')),
    rst_during_data: http2('RST_STREAM within the first message.', reset('body')),
    rst_after_data: http2('RST_STREAM in place of trailers.', reset('end')),
    ping: {
      summary:
        'PING before the response and after every 16 KiB of it; each has to be acknowledged.',
      async apply(reply, { stream }) {
        const ping = async (): Promise<unknown> => stream?.session.ping(ACK_TIMEOUT);
        await ping();
        return withPayload(reply, (payload) => interrupted(payload, ping));
      },
    },
    max_streams: {
      summary: 'SETTINGS_MAX_CONCURRENT_STREAMS of 1, for as long as the connection is open.',
      async apply(reply, { stream }) {
        await stream?.session.sendSettings(new Map([['max_concurrent_streams', 1]]), ACK_TIMEOUT);
        return reply;
      },
    },
    data_frame_padding: padded(
      'DATA of 100 bytes with 255 bytes of padding each; at most 1 MiB of content.',
      255,
    ),
    no_df_padding_sanity_test: padded(
      'DATA of 100 bytes without padding; at most 1 MiB of content.',
      0,
    ),
    'trailers-only': fault('Status OK in the header section, without a message.', (reply) => ({
      ...withField(reply, 'grpc-status', '0'),
      payload: undefined,
    })),
    'missing-trailers': fault('No trailers, and so no status.', withoutTrailers),
    'status-in-head': fault('grpc-status in the header section, before messages.', (reply) =>
      withField(withoutTrailers(reply), 'grpc-status', '0'),
    ),
    'content-type': fault('Content-Type text/html.', (reply) =>
      withField(reply, 'content-type', 'text/html'),
    ),
    'http-status': fault('Status 503 and text in place of the response.', (reply) => ({
      ...reply,
      status: 503,
      fields: ['content-type', 'text/plain'],
      payload: 'upstream connect error\n',
    })),
    'cut-prefix': fault('The content ends in the prefix of the first message.', (reply) =>
      withPayload(reply, (payload) => edited(payload, (bytes) => bytes.subarray(0, 3), true)),
    ),
    'cut-message': fault('The content ends in the first message.', (reply) =>
      withPayload(reply, (payload) => edited(payload, firstHalf, true)),
    ),
    'too-long': fault('The first message declares a length of 4 GiB.', (reply) =>
      withPayload(reply, (payload) => edited(payload, withPrefix(undefined, 2 ** 32 - 1))),
    ),
    compressed: fault(
      'The first message is said to be compressed; grpc-encoding is missing.',
      (reply) =>
        withPayload(withField(reply, 'grpc-encoding'), (payload) =>
          edited(payload, withPrefix(COMPRESSED)),
        ),
    ),
  } satisfies Record<string, CallFault>),
);

/** The field by which a call to any method asks for a fault. */
export const FAULT_FIELD = 'wirebin-fault';

/** The fault with this name. @throws GrpcStatus if there is none */
export function faultOf(name: string): CallFault {
  const found = CALL_FAULTS.get(name);
  if (found) return found;
  const known = [...CALL_FAULTS.keys()].join(', ');
  throw new GrpcStatus('INVALID_ARGUMENT', `there is no fault ${name}; there are ${known}`);
}

function fault(summary: string, apply: (reply: Reply) => Reply): CallFault {
  return { summary, apply };
}

/** A fault that only HTTP/2 has. */
function http2(summary: string, how: Fault): CallFault {
  return fault(summary, (reply) => ({ ...reply, fault: how }));
}

/** DATA in small frames. They are sent without the session, so the content is collected first. */
function padded(summary: string, padding: number): CallFault {
  return {
    summary,
    async apply(reply, request) {
      const { payload } = reply;
      if (!isTimed(payload)) return reply;
      const content = await collect(payload, request);
      const { trailers = [] } = payload;
      return {
        ...reply,
        payload: withTrailers(content, trailers),
        fault: { kind: 'padding', size: PADDED_SIZE, padding },
      };
    },
  };
}

/** Bytes that are reserved for content at first. */
const MIN_COLLECTED = 4096;

/** All of the content, of which thousands of pieces may have some bytes each. @throws Problem if it is too long */
async function collect(payload: TimedStream, request: Request): Promise<Buffer> {
  const { signal } = request;
  let content = Buffer.alloc(0);
  let length = 0;
  for (;;) {
    const piece = payload.next(PING_INTERVAL);
    if (piece === undefined) return content.subarray(0, length);
    if (piece === null) await payload.wait(signal);
    else {
      const end = length + piece.length;
      if (end > MAX_PADDED) {
        throw new Problem('content-too-large', `more than ${MAX_PADDED} bytes cannot be padded`);
      }
      if (end > content.length) {
        const larger = Buffer.alloc(Math.max(end, 2 * content.length, MIN_COLLECTED));
        request.reserve?.(larger.length - content.length);
        content.copy(larger);
        content = larger;
      }
      content.set(Buffer.from(piece), length);
      length = end;
    }
  }
}

/** RST_STREAM with NO_ERROR, as gRPC's reference server sends it. */
function reset(at: 'headers' | 'body' | 'end'): Fault {
  return { kind: 'rst-stream', at, after: PREFIX_LENGTH + 1, code: 0 };
}

/** Sets a field, or removes it if there is no value. */
function withField(reply: Reply, name: string, value?: string): Reply {
  const others = [...fieldPairs(reply.fields)].filter(([each]) => each !== name).flat();
  return { ...reply, fields: value === undefined ? others : [...others, name, value] };
}

function withPayload(reply: Reply, change: (payload: TimedStream) => TimedStream): Reply {
  const { payload } = reply;
  return isTimed(payload) ? { ...reply, payload: change(payload) } : reply;
}

function isTimed(payload: Reply['payload']): payload is TimedStream {
  return typeof payload === 'object' && 'kind' in payload && payload.kind === 'timed';
}

function withoutTrailers(reply: Reply): Reply {
  return withPayload(reply, (payload) => ({
    kind: 'timed',
    next: (size) => payload.next(size),
    wait: (signal) => payload.wait(signal),
  }));
}

/** The payload with waits between its pieces. */
function interrupted(payload: TimedStream, wait: () => Promise<unknown>): TimedStream {
  let isDue = false;
  return {
    ...payload,
    next(size) {
      if (isDue) return null;
      const piece = payload.next(Math.min(size, PING_INTERVAL));
      isDue = piece !== null && piece !== undefined;
      return piece;
    },
    async wait(signal) {
      if (!isDue) return payload.wait(signal);
      await wait();
      isDue = false;
    },
  };
}

/** The payload with another first piece, after which it ends if it is cut off. gRPC-Web in base64 stays as it is. */
function edited(payload: TimedStream, edit: (bytes: Buffer) => Buffer, isCut = false): TimedStream {
  let isFirst = true;
  return {
    ...payload,
    next(size) {
      for (;;) {
        const piece = payload.next(size);
        if (piece === null || piece === undefined || typeof piece === 'string') return piece;
        if (isFirst) {
          isFirst = false;
          return edit(Buffer.from(piece));
        }
        if (!isCut) return piece;
      }
    },
  };
}

function firstHalf(bytes: Buffer): Buffer {
  const length = bytes.readUInt32BE(1);
  return bytes.subarray(0, PREFIX_LENGTH + Math.floor(length / 2));
}

/** Makes a function that changes the prefix. @param length undefined to keep it */
function withPrefix(flags = 0, length?: number): (bytes: Buffer) => Buffer {
  return (bytes) => {
    bytes[0] = flags;
    if (length !== undefined) bytes.writeUInt32BE(length, 1);
    return bytes;
  };
}
