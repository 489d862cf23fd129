import { gzipSync } from 'node:zlib';
import { COMPRESSED, frameMessage } from '../../../../src/wire/grpc/message.ts';
import { frame, FrameType, goaway, SettingId } from '../../../../src/wire/http2/frame.ts';
import type { Fields } from '../../../../src/wire/http2/hpack-encoder.ts';
import { errorCodes } from '../../../../src/wire/http2/names.ts';
import type { Behaviour, Step } from './_origin.ts';
import {
  data,
  fields,
  head,
  MESSAGE,
  only,
  reset,
  response,
  trailers,
  unknownField,
} from './_responses.ts';

/** Behaviours of an origin, by the titles of their rows. */
export type Cases = Readonly<Record<string, Behaviour>>;

const first =
  (earlier: (stream: number) => readonly Step[], count = 1): Behaviour['call'] =>
  (stream, attempt) =>
    attempt <= count ? earlier(stream) : [response(stream)];

const always = (call: (stream: number) => readonly Step[]): Behaviour => ({ call });

const REFUSED = 7;
const CALM = 11;

/** RST_STREAM in place of a response, with each code. */
export const resets: Cases = {
  ...Object.fromEntries(
    errorCodes.map((name, code) => [
      `RST_STREAM ${name}`,
      always((stream) => [reset(stream, code)]),
    ]),
  ),
  'RST_STREAM 0xff': always((stream) => [reset(stream, 0xff)]),
  'RST_STREAM REFUSED_STREAM, once': { call: first((stream) => [reset(stream, REFUSED)]) },
  'RST_STREAM REFUSED_STREAM, twice': { call: first((stream) => [reset(stream, REFUSED)], 2) },
  'HEADERS, RST_STREAM REFUSED_STREAM': always((stream) => [head(stream), reset(stream, REFUSED)]),
  'message, RST_STREAM CANCEL': always((stream) => [
    head(stream),
    data(stream, MESSAGE),
    reset(stream, 8),
  ]),
  'complete response, RST_STREAM NO_ERROR': always((stream) => [
    response(stream),
    reset(stream, 0),
  ]),
};

const HALF = MESSAGE.subarray(0, MESSAGE.length / 2);

const setting = (id: number, value: number): Buffer => {
  const payload = Buffer.alloc(6);
  payload.writeUInt16BE(id, 0);
  payload.writeUInt32BE(value, 2);
  return frame(FrameType.settings, 0, 0, payload);
};
const streams = (limit: number): Buffer => setting(SettingId.maxConcurrentStreams, limit);

/** What happens to the connection. */
export const connections: Cases = {
  'GOAWAY, last stream 0': always(() => [goaway(0, 0)]),
  'GOAWAY, last stream 0; once': { call: first(() => [goaway(0, 0)]) },
  'GOAWAY, last stream 0, and FIN; once': { call: first(() => [goaway(0, 0), 'FIN']) },
  'GOAWAY, this stream, complete response': always((stream) => [
    goaway(stream, 0),
    response(stream),
  ]),
  'GOAWAY, this stream, and FIN': always((stream) => [goaway(stream, 0), 'FIN']),
  'GOAWAY ENHANCE_YOUR_CALM too_many_pings, last stream 0; once': {
    call: first(() => [goaway(0, CALM, Buffer.from('too_many_pings'))]),
  },
  'GOAWAY ENHANCE_YOUR_CALM, this stream, complete response': always((stream) => [
    goaway(stream, CALM),
    response(stream),
  ]),
  FIN: always(() => ['FIN']),
  'FIN, once': { call: first(() => ['FIN']) },
  'RST of TCP': always(() => ['RST']),
  'HEADERS, FIN': always((stream) => [head(stream), 'FIN']),
  'half of a message, FIN': always((stream) => [head(stream), data(stream, HALF), 'FIN']),
  'message, FIN': always((stream) => [head(stream), data(stream, MESSAGE), 'FIN']),
  'MAX_CONCURRENT_STREAMS 0, then 100 after 500 ms': {
    connection: [streams(0), 500, streams(100)],
    call: (stream) => [response(stream)],
  },
  'MAX_CONCURRENT_STREAMS 0': {
    connection: [streams(0)],
    call: (stream) => [response(stream)],
  },
  'no response': always(() => []),
  'message, then nothing': always((stream) => [head(stream), data(stream, MESSAGE)]),
  'padded HEADERS': always((stream) => [
    fields(
      stream,
      [
        [':status', '200'],
        ['content-type', 'application/grpc'],
      ],
      0,
      100,
    ),
    data(stream, MESSAGE),
    trailers(stream),
  ]),
  'frame of type 0xfa before the response': always((stream) => [
    frame(0xfa, 0, 0),
    response(stream),
  ]),
};

const withStatus = (status: number): readonly [string, Behaviour] => [
  `:status ${status}, text/html`,
  always((stream) => [
    only(stream, [
      [':status', String(status)],
      ['content-type', 'text/html'],
    ]),
  ]),
];

const GRPC = [
  [':status', '200'],
  ['content-type', 'application/grpc'],
] as const;

const trailersOnly = (...lines: Fields): Behaviour =>
  always((stream) => [only(stream, [...GRPC, ...lines])]);
const trailing = (...lines: Fields): Behaviour =>
  always((stream) => [head(stream), data(stream, MESSAGE), trailers(stream, lines)]);

/** Statuses of HTTP and of gRPC. */
export const statuses: Cases = {
  ...Object.fromEntries(
    [200, 204, 301, 400, 401, 403, 404, 408, 413, 429, 431, 500, 502, 503, 504, 599].map(
      withStatus,
    ),
  ),
  ':status 503, application/grpc, grpc-status 5': always((stream) => [
    only(stream, [
      [':status', '503'],
      ['content-type', 'application/grpc'],
      ['grpc-status', '5'],
    ]),
  ]),
  'header section alone, without grpc-status': trailersOnly(),
  'header section alone, grpc-status 0': trailersOnly(['grpc-status', '0']),
  'header section alone, grpc-status 8, grpc-message no%20more%E2%80%A6': trailersOnly(
    ['grpc-status', '8'],
    ['grpc-message', 'no%20more%E2%80%A6'],
  ),
  'trailers without grpc-status': trailing(['a', 'b']),
  'grpc-status 13 after a message': trailing(['grpc-status', '13']),
  'grpc-status abc': trailing(['grpc-status', 'abc']),
  'grpc-status 99': trailing(['grpc-status', '99']),
  'grpc-status -1': trailing(['grpc-status', '-1']),
  'grpc-status 00': trailing(['grpc-status', '00']),
  'grpc-status without a value': trailing(['grpc-status', '']),
  'grpc-status 0, grpc-status 5': trailing(['grpc-status', '0'], ['grpc-status', '5']),
  'grpc-status 5, grpc-status 0': trailing(['grpc-status', '5'], ['grpc-status', '0']),
  'grpc-status 0 in the header section, 5 in trailers': always((stream) => [
    head(stream, [['grpc-status', '0']]),
    data(stream, MESSAGE),
    trailers(stream, [['grpc-status', '5']]),
  ]),
  'grpc-status 5, grpc-message %ZZ': trailing(['grpc-status', '5'], ['grpc-message', '%ZZ']),
};

const typed = (type: string): readonly [string, Behaviour] => [
  `content-type: ${type}`,
  always((stream) => [response(stream, [['content-type', type]])]),
];
const coded = (coding: string, content: Buffer): Behaviour =>
  always((stream) => [
    response(stream, [['grpc-encoding', coding]], frameMessage(content, COMPRESSED)),
  ]);

const TEXT = unknownField(Buffer.from('a message'));
const CORRUPT = gzipSync(TEXT).fill(0xff, 10, 20);
/** The limit of most clients is 4 MiB. */
const LARGE = gzipSync(unknownField(Buffer.alloc(5 * 1024 * 1024)));

/** Messages, their encodings, and metadata. */
export const messages: Cases = {
  ...Object.fromEntries(
    [
      'application/grpc+json',
      'application/grpc; charset=utf-8',
      'Application/gRPC',
      'application/grpc-web+proto',
      'application/json',
    ].map(typed),
  ),
  'no content-type': always((stream) => [
    fields(stream, [[':status', '200']]),
    data(stream, MESSAGE),
    trailers(stream),
  ]),
  gzip: coded('gzip', gzipSync(TEXT)),
  'gzip, corrupt': coded('gzip', CORRUPT),
  'gzip of 5 MiB in 5 KiB': coded('gzip', LARGE),
  'grpc-encoding: snappy, compressed': coded('snappy', TEXT),
  'grpc-encoding: snappy, not compressed': always((stream) => [
    response(stream, [['grpc-encoding', 'snappy']]),
  ]),
  'grpc-encoding: identity, compressed': coded('identity', TEXT),
  'flags of a message 0x02': always((stream) => [response(stream, [], frameMessage(TEXT, 2))]),
  'no message': always((stream) => [head(stream), trailers(stream)]),
  'two messages': always((stream) => [response(stream, [], Buffer.concat([MESSAGE, MESSAGE]))]),
  'a message and 3 bytes': always((stream) => [
    response(stream, [], Buffer.concat([MESSAGE, Buffer.alloc(3)])),
  ]),
  'a-bin: AAEC,AwQ=': always((stream) => [response(stream, [['a-bin', 'AAEC,AwQ=']])]),
  'a-bin: AAEC, a-bin: AwQ': always((stream) => [
    response(stream, [
      ['a-bin', 'AAEC'],
      ['a-bin', 'AwQ'],
    ]),
  ]),
  'a-bin: -_8': always((stream) => [response(stream, [['a-bin', '-_8']])]),
  'a-bin: !': always((stream) => [response(stream, [['a-bin', '!']])]),
  '12 KiB of metadata': always((stream) => [response(stream, [['a', 'x'.repeat(12 * 1024)]])]),
  '20 KiB of metadata': always((stream) => [response(stream, [['a', 'x'.repeat(20 * 1024)]])]),
  'a name in upper case': always((stream) => [response(stream, [['Name', 'x']])]),
  'connection: keep-alive': always((stream) => [response(stream, [['connection', 'keep-alive']])]),
  '103 before the response': always((stream) => [
    fields(stream, [[':status', '103']]),
    response(stream),
  ]),
};
