import { invalid, Problem } from '../../http/problem.ts';
import { hasNoContent } from '../../http/status.ts';
import type { QueryPairs } from '../../http/query.ts';
import { endpoint, type Endpoint } from '../../server/endpoint.ts';
import { queryParser, type Values } from '../../server/parse-parameters.ts';
import {
  CHUNK_FAULTS,
  HTTP1_HEAD_FAULTS,
  HTTP2_HEAD_FAULTS,
  LAST_STREAMS,
  type Fault,
  type FaultName,
  type Http1HeadFault,
  type Http2HeadFault,
  type LargeHead,
  type Position,
} from '../../server/fault.ts';
import { anyText, described, int, oneOf, optional, type Parameter } from '../../server/params.ts';
import { delayed } from '../../server/pause.ts';
import type { Payload } from '../../server/payload.ts';
import { empty, reply, TEXT_TYPE, type Reply } from '../../server/reply.ts';
import type { Request } from '../../server/request.ts';
import { letters } from '../range.ts';
import {
  byteCount,
  codeParameter,
  DEFAULT_LENGTH,
  delayParameter,
  garbageParameters,
  garbagePosition,
  lengthParameter,
  positionOf,
  responseParameters,
  secondsParameter,
  statusParameter,
} from './parameters.ts';

/** A kind of fault, without the types of its parameters. */
export interface FaultKind {
  readonly endpoint: Endpoint;
  /** Parses the parameters. @throws Problem if one is invalid */
  readonly parse: (query: QueryPairs) => Readonly<Record<string, unknown>>;
  /** Makes the reply for the parameters. @throws Problem if one is invalid */
  reply(request: Request, query: QueryPairs): Reply | Promise<Reply>;
}

interface Declaration<Query> {
  readonly summary: string;
  readonly query: Query;
  readonly exampleQuery?: string;
  /** Beginning of a curl command that shows the fault. The URL is appended. */
  readonly curl?: string;
  readonly overTls?: boolean;
  /** As in the declaration of an endpoint. */
  readonly content?: 'streamed';
  readonly reply: (query: Values<Query>, request: Request) => Reply | Promise<Reply>;
}

function faultKind<Query extends Record<string, Parameter<unknown>>>(
  name: FaultName,
  { curl = 'curl -sS', overTls, reply: make, ...declared }: Declaration<Query>,
): FaultKind {
  const { query, exampleQuery } = declared;
  const path = `/fault/${name}`;
  const example = exampleQuery === undefined ? path : `${path}?${exampleQuery}`;
  const parse = queryParser<Query>(query);
  return {
    parse,
    reply: (request, pairs) => make(parse(pairs), request),
    endpoint: endpoint({
      ...declared,
      path,
      methods: 'any',
      group: 'faults',
      curl: `${curl} '${overTls ? 'https://' : ''}localhost:8080${example}'`,
      // No response is documented, because a faulty one cannot be described as an ordinary one.
      responses: {},
      handle: ({ request, query: values }) => make(values, request),
    }),
  };
}

/** Bytes per chunk: so few that a fault in the middle of the default content is within a chunk. */
const CHUNK = 4 * 1024;

interface Options {
  readonly status: number;
  readonly framing?: 'length' | 'chunked';
}

/** The response apart from its fault: the repeated alphabet. */
function faultyReply(length: number, { status, framing = 'length' }: Options, made: Fault): Reply {
  if (hasNoContent(status)) return { ...empty(status), fault: made };
  return { ...reply(TEXT_TYPE, alphabetContent(length, framing), { status }), fault: made };
}

function alphabetContent(length: number, framing: 'length' | 'chunked'): Payload {
  const content = letters({ first: 0, last: length - 1 });
  if (framing === 'length') return content;
  return { kind: 'streamed', next: (size) => content.next(Math.min(size, CHUNK)) };
}

/** Refuses framing=chunked unless on HTTP/1.1. @throws Problem fault-unavailable */
function checkFraming({ version }: Request, framing: 'length' | 'chunked'): void {
  if (framing === 'length' || version === 'HTTP/1.1') return;
  const detail = `framing=chunked: ${version} has no chunked coding (RFC 9112 7.1)`;
  throw new Problem('fault-unavailable', detail);
}

type ResponseValues = Values<ReturnType<typeof responseParameters>>;

/** A response that fails at a certain point. @throws Problem fault-unavailable */
function failingReply(
  { length, at, after, framing, status, delay }: ResponseValues,
  request: Request,
  make: (position: Position) => Fault,
): Reply | Promise<Reply> {
  checkFraming(request, framing);
  const made = make(positionOf(at, after, length));
  return delayed(delay, request, () => faultyReply(length, { status, framing }, made));
}

/** All kinds of faults. @param max maximum of delays and other durations, in seconds */
export function faultKinds(max: number): Readonly<Record<FaultName, FaultKind>> {
  return { ...connectionFaults(max), ...streamFaults(max), ...messageFaults(max) };
}

/** Faults of the connection. */
function connectionFaults(max: number) {
  const common = responseParameters(max);
  return {
    close: faultKind('close', {
      summary: 'Closes the connection early: FIN, over TLS after close_notify.',
      query: common,
      reply: (values, request) =>
        failingReply(values, request, (position) => ({ kind: 'close', ...position })),
    }),
    reset: resetFault(max),
    'truncate-tls': faultKind('truncate-tls', {
      summary: 'Closes the TCP connection without the close_notify alert of TLS (RFC 9846 6.1).',
      query: common,
      curl: 'curl -sSk',
      overTls: true,
      reply: (values, request) =>
        failingReply(values, request, (position) => ({ kind: 'truncate-tls', ...position })),
    }),
    stall: faultKind('stall', {
      summary:
        'Sends no more, and keeps the connection open. After `for`, closes it; on HTTP/2 resets the stream.',
      // Longer than the timeouts of most clients and proxies, which would see the end in place of the silence.
      query: { ...common, for: secondsParameter('Time without a byte.', max, max) },
      exampleQuery: 'for=1',
      reply: ({ for: seconds, ...values }, request) =>
        failingReply(values, request, (position) => ({ kind: 'stall', seconds, ...position })),
    }),
    'no-read': faultKind('no-read', {
      summary: 'Reads no more of the request content for a time, then responds.',
      content: 'streamed',
      query: {
        after: described('Bytes of the request content read before.', optional(byteCount, 0)),
        for: secondsParameter('Time without reading.', max),
        scope: described(
          'On HTTP/2, which flow-control window is not renewed.',
          optional(oneOf(['stream', 'connection']), 'stream'),
        ),
        length: lengthParameter,
        status: statusParameter,
      },
      exampleQuery: 'for=1',
      curl: String.raw`seq 99999 | curl -sS -o /dev/null -w '%{time_total} s\n' -T -`,
      reply: ({ after, for: seconds, scope, length, status }, { hasBody }) => {
        if (!hasBody) {
          throw new Problem('fault-unavailable', 'no-read: the request has no content');
        }
        return faultyReply(length, { status }, { kind: 'no-read', after, seconds, scope });
      },
    }),
  };
}

function resetFault(max: number): FaultKind {
  return faultKind('reset', {
    summary:
      'Resets the TCP connection: RST. TCP drops what the client has not received by then, so that ' +
      'less than a large `after` may arrive.',
    query: {
      ...responseParameters(max),
      for: secondsParameter(
        'Time between the last byte and the RST, in which the client can read what was sent.',
        max,
        0,
      ),
    },
    reply: ({ for: seconds, ...values }, request) =>
      failingReply(values, request, (position) => ({
        kind: 'reset',
        ...(seconds > 0 && { seconds }),
        ...position,
      })),
  });
}

/** Faults of HTTP/2 only. */
function streamFaults(max: number) {
  const common = responseParameters(max);
  return {
    'rst-stream': faultKind('rst-stream', {
      summary: 'Resets the HTTP/2 stream: RST_STREAM.',
      query: {
        ...common,
        code: codeParameter('INTERNAL_ERROR'),
      },
      exampleQuery: 'code=CANCEL',
      curl: 'curl -sS --http2-prior-knowledge',
      reply: ({ code, ...values }, request) =>
        failingReply(values, request, (position) => ({ kind: 'rst-stream', code, ...position })),
    }),
    goaway: faultKind('goaway', {
      summary:
        'Sends GOAWAY on the HTTP/2 connection. `last=max&then=finish` is the graceful form, with a ' +
        'second GOAWAY after a round trip (RFC 9113 6.8).',
      query: {
        ...common,
        code: codeParameter('NO_ERROR'),
        last: described(
          'Last stream identifier: of this request, of the previous one, 0, or 2^31 - 1.',
          optional(oneOf(LAST_STREAMS), 'this'),
        ),
        debug: described('Additional debug data.', optional(anyText(), '')),
        then: described(
          'Whether open streams are finished, or the connection is closed.',
          optional(oneOf(['finish', 'close']), 'finish'),
        ),
      },
      exampleQuery: 'code=ENHANCE_YOUR_CALM&then=close',
      // curl shows GOAWAY only with -v.
      curl: 'curl -sSv --http2-prior-knowledge',
      reply: ({ code, last, debug, then, ...values }, request) =>
        failingReply(values, request, (position) => ({
          kind: 'goaway',
          code,
          last,
          debug: Buffer.from(debug),
          then,
          ...position,
        })),
    }),
  };
}

/** Bytes a second: a header section of 200 bytes takes two seconds. */
const DEFAULT_HEAD_RATE = 100;
const MAX_HEAD_RATE = 100_000;
const MAX_HEAD_SIZE = 1024 * 1024;
const MAX_HEAD_FIELDS = 10_000;

/** Faults of the response message, and bytes in place of it. */
function messageFaults(max: number) {
  const common = { status: statusParameter, delay: delayParameter(max) };
  return {
    'content-length': faultKind('content-length', {
      summary: 'Declares more or less content in Content-Length than it sends.',
      query: {
        declared: described('Content-Length.', optional(byteCount, DEFAULT_LENGTH)),
        sent: described('Bytes of content.', optional(byteCount, DEFAULT_LENGTH / 2)),
        ...common,
      },
      exampleQuery: 'declared=26&sent=10',
      reply: ({ declared, sent, status, delay }, request) =>
        delayed(delay, request, () =>
          faultyReply(sent, { status }, { kind: 'content-length', declared, sent }),
        ),
    }),
    chunk: faultKind('chunk', {
      summary: 'Breaks the chunked coding of HTTP/1.1.',
      query: {
        how: described(
          'What is wrong; `http-1.0` sends valid chunks in response to HTTP/1.0, which has none.',
          optional(oneOf(CHUNK_FAULTS), 'bad-size'),
        ),
        length: lengthParameter,
        ...common,
      },
      reply: ({ how, length, status, delay }, request) => {
        const options = { status, framing: 'chunked' } as const;
        return delayed(delay, request, () => faultyReply(length, options, { kind: 'chunk', how }));
      },
    }),
    head: headFault(max),
    'slow-head': slowHeadFault(max),
    garbage: faultKind('garbage', {
      summary:
        'Sends random bytes in place of a response, or of the rest of it; on HTTP/2 they are no frames.',
      query: garbageParameters(max),
      reply: garbageReply,
    }),
  };
}

type GarbageValues = Values<ReturnType<typeof garbageParameters>>;

function garbageReply(
  { length, seed, for: seconds, frame, framing, status, delay, ...point }: GarbageValues,
  request: Request,
): Reply | Promise<Reply> {
  const position = garbagePosition(point);
  if (frame !== undefined && position.at !== 'start') {
    throw invalid('frame contradicts at and after: the frame is in place of the response');
  }
  const bytes = { length, ...(seed !== undefined && { seed }) };
  const end = seconds > 0 && { seconds };
  const made: Fault =
    frame === undefined
      ? { kind: 'garbage', ...bytes, ...end, ...position }
      : { kind: 'frame', how: frame, ...end };
  if (framing) checkFraming(request, framing);
  const hasChunks = request.version === 'HTTP/1.1';
  const options = { status, framing: framing ?? (hasChunks ? 'chunked' : 'length') } as const;
  return delayed(delay, request, () => faultyReply(point.content, options, made));
}

function slowHeadFault(max: number): FaultKind {
  const { length, framing, status, delay } = responseParameters(max);
  return faultKind('slow-head', {
    summary:
      'Sends the header section byte by byte, then the content. On HTTP/2 that is the HEADERS frame, within which no ' +
      'other frame can be sent.',
    query: {
      rate: described(
        'Bytes of the header section a second.',
        optional(int({ min: 1, max: MAX_HEAD_RATE }), DEFAULT_HEAD_RATE),
      ),
      length,
      framing,
      status,
      delay,
    },
    exampleQuery: 'rate=200',
    curl: 'curl -sSi',
    reply({ rate, length: bytes, framing: coding, status: code, delay: seconds }, request) {
      checkFraming(request, coding);
      const options = { status: code, framing: coding };
      return delayed(seconds, request, () =>
        faultyReply(bytes, options, { kind: 'slow-head', rate, max }),
      );
    },
  });
}

function headFault(max: number): FaultKind {
  const violations = [...new Set([...HTTP1_HEAD_FAULTS, ...HTTP2_HEAD_FAULTS])];
  return faultKind('head', {
    summary: 'Breaks the rules of the header section, or sends a very large one.',
    query: {
      how: described(
        `What is wrong: ${HTTP2_HEAD_FAULTS.join(', ')} on HTTP/2; on HTTP/1.1 the others. Both have ` +
          '`size` and `count`, which break no rule.',
        optional(oneOf([...violations, 'size', 'count']), 'no-status'),
      ),
      bytes: described(
        'With `how=size`: bytes of the header section.',
        optional(int({ min: 0, max: MAX_HEAD_SIZE }), 64 * 1024),
      ),
      fields: described(
        'With `how=count`: fields of the header section.',
        optional(int({ min: 0, max: MAX_HEAD_FIELDS }), 1000),
      ),
      length: lengthParameter,
      status: statusParameter,
      delay: delayParameter(max),
    },
    curl: 'curl -sSi',
    reply: ({ how, bytes, fields, length, status, delay }, request) =>
      delayed(delay, request, () =>
        faultyReply(length, { status }, { kind: 'head', ...headFaultOf(how, bytes, fields) }),
      ),
  });
}

function headFaultOf(
  how: Http1HeadFault | Http2HeadFault | LargeHead['how'],
  bytes: number,
  fields: number,
) {
  switch (how) {
    case 'size':
      return { how, bytes };
    case 'count':
      return { how, fields };
    default:
      return { how };
  }
}
