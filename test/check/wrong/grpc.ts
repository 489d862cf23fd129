import { Flag, FrameType } from '../../../src/wire/http2/frame.ts';
import { valueOf, valuesOf } from '../../../src/check/message.ts';
import type { Deviation } from '../_gateway-messages.ts';
import { HTTP2_ORIGIN, ignoringFrames, readingFrames, wrongLeg } from '../_wrong-leg.ts';
import {
  changingStatus,
  changingValues,
  differs,
  onRequest,
  wrong,
  type Turns,
  type WrongProxy,
} from '../_wrong.ts';

/** One that has an origin on HTTP/2. */
export const wrongCall = (name: string, turns: Turns, deviation: Deviation): WrongProxy => ({
  ...wrong(name, turns, deviation),
  setup: HTTP2_ORIGIN,
});

const changingTimeout = (change: (value: string) => string): Deviation =>
  changingValues((value, name) => (name === 'grpc-timeout' ? change(value) : value));

/** Changes the values of trailers; undefined drops one. */
export const changingTrailers =
  (
    change: (name: string, value: string) => string | undefined,
  ): ((raw: readonly string[]) => readonly string[]) =>
  (raw) =>
    raw.flatMap((name, at) => {
      if (at % 2 === 1) return [];
      const value = change(name, raw[at + 1] ?? '');
      return value === undefined ? [] : [name, value];
    });

/** Gateways that break calls of gRPC. */
export const wrongGrpc: readonly WrongProxy[] = [
  wrongLeg(
    'drops trailers of an origin on HTTP/2',
    ['grpc/trailers', 'grpc/binary-metadata', 'grpc/padded-response'],
    {
      trailers: () => [],
    },
  ),
  {
    ...wrongLeg(
      'drops trailers of gRPC, which alone it sends on HTTP/2',
      ['grpc/trailers', 'grpc/binary-metadata', 'grpc/padded-response'],
      { trailers: () => [] },
    ),
    setup: { scheme: 'http', hasGrpcOrigin: true },
  },
  wrongLeg(
    'drops trailers but those of a status and its message',
    ['grpc/trailers', 'grpc/binary-metadata'],
    {
      trailers: (lines) =>
        lines.filter((_, at) => /^grpc-(?:status|message)$/.test(lines[at - (at % 2)] ?? '')),
    },
  ),
  wrongLeg('decodes grpc-message', 'grpc/trailers', {
    trailers: changingTrailers((name, value) =>
      name === 'grpc-message' ? Buffer.from(decodeURIComponent(value)).toString('latin1') : value,
    ),
  }),
  wrongLeg('drops long trailers', 'grpc/trailers', {
    trailers: changingTrailers((_name, value) => (value.length > 1024 ? undefined : value)),
  }),
  wrongCall('holds header sections back until the messages come', 'grpc/head', {
    waitsForResponse: ({ fields }) => valueOf(fields, 'content-type') === 'application/grpc',
  }),
  wrongLeg('drops metadata of responses', ['grpc/metadata', 'grpc/binary-metadata'], {
    responseFields: (name) => !name.startsWith('check-'),
  }),
  wrongLeg('drops metadata of requests in ASCII', 'grpc/fields', {
    fields: (name) => name !== 'check-ascii',
  }),
  wrongCall(
    'keeps the first of two values of metadata',
    ['grpc/fields', 'grpc/binary-metadata'],
    onRequest((request) => {
      const names = new Set<string>();
      request.fields = request.fields.filter(
        ([name]) => !name.startsWith('check-') || !(names.has(name) || !names.add(name)),
      );
    }),
  ),
  wrongCall(
    'joins values of metadata',
    differs('grpc/binary-metadata'),
    onRequest((request) => {
      const names = new Set(request.fields.map(([name]) => name));
      request.fields = Array.from(names, (name) => [
        name,
        valuesOf(request.fields, name).join(', '),
      ]);
    }),
  ),
  wrongLeg('decodes binary metadata of trailers', 'grpc/binary-metadata', {
    trailers: changingTrailers((name, value) =>
      name === 'check-lines-bin' ? Buffer.from(value, 'base64').toString('hex') : value,
    ),
  }),
  wrongLeg('pads frames to the origin', differs('grpc/padding-sent'), { pads: true }),
  readingFrames('takes the padding of the origin for content', 'grpc/padded-response', (received) =>
    received.type === FrameType.data
      ? { ...received, flags: received.flags & ~Flag.padded }
      : received,
  ),
  wrongLeg('drops grpc-timeout', ['grpc/fields', 'grpc/deadline'], {
    fields: (name) => name !== 'grpc-timeout',
  }),
  wrongLeg('drops TE', ['grpc/fields', 'trailer/te-kept'], { fields: (name) => name !== 'te' }),
  {
    ...wrongLeg(
      'waits for the whole request',
      {
        'grpc/client-streaming': 'differs',
        'grpc/early-status': 'differs',
        'grpc/bidirectional': 'fail',
      },
      { waitsForContent: true },
    ),
    isSilent: true,
  },
  wrongLeg('drops grpc-status of responses', 'grpc/trailers-only', {
    responseFields: (name) => name !== 'grpc-status',
  }),
  wrongCall(
    'answers 200 where the origin does not respond',
    ['grpc/origin-closes', 'grpc/origin-resets'],
    changingStatus(502, 200),
  ),
  wrongCall(
    'answers grpc-status: 14 where the origin does not respond',
    { 'grpc/own-error': 'pass' },
    {
      response: (response) => {
        if (response.status !== 502) return;
        response.status = 200;
        response.fields = [
          ['content-type', 'application/grpc'],
          ['grpc-status', '14'],
        ];
      },
    },
  ),
  ignoringFrames(
    'ignores RST_STREAM',
    ['grpc/origin-resets', 'grpc/cut-off'],
    ({ type }) => type === FrameType.rstStream,
  ),
  {
    ...wrongCall('holds messages of the origin back', 'grpc/bidirectional', {
      holdsResponse: () => true,
    }),
    isSilent: true,
  },
  wrongCall(
    'takes grpc-timeout for seconds',
    'grpc/deadline',
    changingTimeout((value) => value.replace(/\D$/, 'S')),
  ),
  wrongCall(
    'has a shorter deadline of its own',
    differs('grpc/deadline'),
    changingTimeout((value) => (value === '1H' ? '5S' : value)),
  ),
  {
    ...wrongCall('goes on with calls that the client cancels', differs('grpc/cancel'), {
      ignoresGone: true,
      endsTruncatedRequests: true,
    }),
    breaksOthers: true,
  },
];
