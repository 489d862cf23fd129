import type { Deviation } from '../_gateway-messages.ts';
import { Flag, FrameType } from '../../../src/wire/http2/frame.ts';
import { breaking, mapped, waiting, without, type WrongProxy } from '../_wrong.ts';
import {
  HOPS,
  NAMES,
  PSEUDO,
  SECTIONS,
  VALUES,
  afterFrame,
  answering,
  emptyAnswer,
  holdingSettings,
  isWellFormed,
  onFrame,
  reading,
  refusingMany,
  rstStream,
  withPseudo,
} from './h2-deviations.ts';

/** Changes the values of fields. */
const changing = (
  name: string,
  change: Parameters<typeof mapped>[1],
  turns: WrongProxy['turns'],
): WrongProxy =>
  breaking(
    name,
    reading((fields) => mapped(fields, change)),
    turns,
  );

/** Gateways that make something of malformed frames and fields. */
export const wrongHttp2: readonly WrongProxy[] = [
  breaking(
    'drops malformed fields, and serves the rest',
    reading((fields) => fields.filter(isWellFormed)),
    { ...NAMES, ...VALUES, ...HOPS },
  ),
  breaking('answers a malformed request with a page and 200', emptyAnswer(200), {
    ...NAMES,
    ...VALUES,
    ...HOPS,
  }),
  breaking('answers a malformed request with 204', emptyAnswer(204), {
    ...NAMES,
    ...VALUES,
    ...HOPS,
  }),
  breaking('redirects a malformed request', emptyAnswer(302), { ...NAMES, ...VALUES, ...HOPS }),
  waiting(
    'never answers a malformed request',
    { ...emptyAnswer(200), workers: 0 },
    { ...NAMES, ...VALUES, ...HOPS },
  ),
  breaking(
    'makes hyphens of what may not be in a name, and spaces of what may not be in a value',
    reading((fields) =>
      fields.map(([name, value]) => [
        name
          .toLowerCase()
          .replaceAll(/(?!^:)[ :]/g, '-')
          .replace(/^$/, 'x-empty'),
        // oxlint-disable-next-line no-control-regex -- They are malformed.
        value.replaceAll(/[\0\r\n]+/g, ' '),
      ]),
    ),
    { ...NAMES, ...VALUES },
  ),
  breaking(
    'ends a value at the first control character',
    // oxlint-disable-next-line no-control-regex -- They are malformed.
    reading((fields) => mapped(fields, (value) => value.replace(/[\0\r\n][^]*$/, ''))),
    VALUES,
  ),
  changing(
    'makes a quoted string of a value with a space before it',
    (value) => value.replace(/^ +/, '"').replace(/^".*$/, '$&"'),
    { 'h2/value-space': 'fail' },
  ),
  changing('takes TE of gzip for trailers', (value, name) => (name === 'te' ? 'trailers' : value), {
    'h2/te': 'fail',
  }),
  breaking(
    'obeys Connection on HTTP/2',
    reading((fields) => {
      const listed = fields.filter(([name]) => name === 'connection').map(([, value]) => value);
      return without(fields, 'connection', ...listed);
    }),
    { 'h2/connection': 'fail' },
  ),
  breaking(
    'completes pseudo-header fields',
    reading((fields) =>
      withPseudo(fields, (own) => {
        if (!own.get(':path')) own.set(':path', '/anything');
        if (!own.has(':method')) own.set(':method', 'GET');
        if (!own.has(':scheme')) own.set(':scheme', 'http');
      }),
    ),
    SECTIONS,
  ),
  breaking(
    'takes the last of repeated pseudo-header fields',
    reading((fields) => {
      const last = new Map(fields.filter(([name]) => PSEUDO.has(name)));
      return [...last, ...fields.filter(([name]) => !name.startsWith(':'))];
    }),
    { 'h2/repeated-path': 'fail', 'h2/repeated-authority': 'fail', 'h2/late-pseudo': 'fail' },
  ),
  breaking(
    'takes a missing :method for OPTIONS and a missing :path for *',
    reading((fields) =>
      withPseudo(fields, (own) => {
        if (!own.has(':method')) own.set(':method', 'OPTIONS');
        if (!own.get(':path')) {
          own.set(':path', '*');
          own.set(':method', 'OPTIONS');
        }
      }),
    ),
    { 'h2/no-method': 'fail', 'h2/no-path': 'fail', 'h2/empty-path': 'fail' },
  ),
  changing(
    'ends :path and :method at a space',
    (value, name) => (/^:(?:path|method)$/.test(name) ? value.replace(/ .*/, '') : value),
    { 'h2/path-space': 'fail', 'h2/method-space': 'fail' },
  ),
  changing(
    'makes a plus of a space in :path, and a hyphen in :method',
    (value, name) => {
      if (name === ':path') return value.replaceAll(' ', '+');
      return name === ':method' ? value.replaceAll(/[ /]/g, '-') : value;
    },
    { 'h2/path-space': 'fail', 'h2/method-space': 'fail' },
  ),
  changing(
    'removes spaces from :path and :method',
    (value, name) => (name.startsWith(':') ? value.replaceAll(' ', '') : value),
    { 'h2/path-space': 'fail', 'h2/method-space': 'fail' },
  ),
  changing(
    'encodes a space in :path twice',
    (value, name) => (name === ':path' ? value.replaceAll(' ', '%2520') : value),
    { 'h2/path-space': 'fail' },
  ),
  changing(
    'removes userinfo from :authority',
    (value, name) => (name === ':authority' ? value.replace(/^.*@/, '') : value),
    { 'h2/authority-userinfo': 'fail' },
  ),
  breaking(
    'makes Authorization of userinfo in :authority',
    reading((fields) => {
      const [, user] =
        /^(.*)@/.exec(fields.find(([name]) => name === ':authority')?.[1] ?? '') ?? [];
      const rest = mapped(fields, (value, name) =>
        name === ':authority' ? value.replace(/^.*@/, '') : value,
      );
      return user === undefined
        ? rest
        : [...rest, ['authorization', `Basic ${Buffer.from(user).toString('base64')}`]];
    }),
    { 'h2/authority-userinfo': 'fail' },
  ),
  breaking(
    'counts DATA by itself, and removes content-length',
    reading((fields) => without(fields, 'content-length')),
    { 'h2/length-short': 'fail', 'h2/length-long': 'fail', 'h2/length-twice': 'fail' },
  ),
  breaking(
    'fills DATA that is shorter than content-length',
    onFrame((received) =>
      received.type === FrameType.data && String(received.payload) === 'short'
        ? { ...received, payload: Buffer.concat([received.payload, Buffer.alloc(5)]) }
        : received,
    ),
    { 'h2/length-short': 'fail' },
  ),
  breaking(
    'cuts DATA that is longer than content-length',
    onFrame((received) =>
      received.type === FrameType.data && String(received.payload) === 'longer'
        ? { ...received, payload: received.payload.subarray(0, 2) }
        : received,
    ),
    { 'h2/length-long': 'fail' },
  ),
  breaking(
    'takes the first of two lengths',
    reading((fields) =>
      fields.filter(
        ([name], at) =>
          name !== 'content-length' || fields.findIndex(([other]) => other === name) === at,
      ),
    ),
    { 'h2/length-twice': 'fail' },
  ),
  waiting(
    'makes a stream error of a connection error',
    answering((received) => {
      const { type, stream, payload } = received;
      if (type === FrameType.rstStream && stream > 100) return rstStream(stream, 5);
      if (type === FrameType.headers && stream % 2 === 0) return rstStream(stream, 1);
      if (type === FrameType.headers && payload.length === 3) return rstStream(stream, 9);
      if (type === FrameType.continuation) return rstStream(stream, 1);
      return undefined;
    }),
    {
      'h2/rst-idle': 'fail',
      'h2/even-stream': 'fail',
      'h2/hpack-index': 'fail',
      'h2/continuation': 'fail',
    },
  ),
  waiting(
    'acknowledges SETTINGS and PING of a wrong length',
    answering(({ type, flags, payload, stream }) => {
      if ((flags & Flag.ack) !== 0) return undefined;
      if (type === FrameType.settings && payload.length % 6 !== 0)
        return { type, flags: Flag.ack, stream, payload: Buffer.alloc(0) };
      if (type === FrameType.ping && payload.length !== 8)
        return {
          type,
          flags: Flag.ack,
          stream,
          payload: Buffer.concat([payload, Buffer.alloc(1)]),
        };
      return undefined;
    }),
    { 'h2/settings-length': 'fail', 'h2/ping-length': 'fail' },
  ),
  breaking(
    'answers DATA on stream 0 and a wrong WINDOW_UPDATE with GOAWAY, and serves on',
    answering(({ type, stream, payload }) => {
      const isWrong =
        stream === 0 &&
        (type === FrameType.data ||
          (type === FrameType.windowUpdate && [0, 0x7fff_ffff].includes(payload.readUInt32BE(0))));
      if (!isWrong) return undefined;
      return {
        type: FrameType.goaway,
        flags: 0,
        stream: 0,
        payload: Buffer.from([127, 255, 255, 255, 0, 0, 0, 0]),
      };
    }),
    { 'h2/data-on-stream-0': 'fail', 'h2/window-0': 'fail', 'h2/window-overflow': 'fail' },
  ),
  waiting(
    'reads what fits of a frame that is too large',
    onFrame((received) =>
      received.payload.length > 16_384
        ? { ...received, payload: received.payload.subarray(0, 6) }
        : received,
    ),
    { 'h2/frame-too-large': 'fail' },
  ),
  waiting(
    'loses the frame after one of an unknown type',
    afterFrame(
      ({ type }) => type > 0x20,
      () => undefined,
    ),
    { 'h2/unknown-frame': 'fail' },
  ),
  breaking(
    'resets the stream after a frame of an unknown type',
    afterFrame(
      ({ type }) => type > 0x20,
      (received) => ({ ...received, stream: received.stream + 1 }),
    ),
    { 'h2/unknown-frame': 'fail' },
  ),
  breaking(
    'refuses frames of unknown types on streams',
    onFrame((received) =>
      received.type > 0x20 && received.stream > 0 ? rstStream(101, 1) : received,
    ),
    { 'h2/unknown-frame': 'fail' },
  ),
  waiting(
    'ignores SETTINGS with an unknown setting, and does not acknowledge them',
    onFrame((received) =>
      received.type === FrameType.settings &&
      received.payload.length >= 6 &&
      received.payload.readUInt16BE(0) > 0xff
        ? undefined
        : received,
    ),
    { 'h2/unknown-setting': 'fail' },
  ),
  waiting(
    'opens a stream at PRIORITY, which closes those below',
    afterFrame(
      ({ type }) => type === FrameType.priority,
      () => undefined,
    ),
    { 'h2/priority': 'fail' },
  ),
  breaking(
    'acknowledges PING with other bytes',
    onFrame((received) =>
      received.type === FrameType.ping
        ? { ...received, payload: Buffer.from(received.payload.toReversed()) }
        : received,
    ),
    { 'h2/ping': 'fail' },
  ),
  waiting(
    'answers PING with a PING that acknowledges nothing',
    answering((received) =>
      received.type === FrameType.ping ? { ...received, flags: 0 } : undefined,
    ),
    { 'h2/ping': 'fail' },
  ),
  waiting('acknowledges SETTINGS with the first request', holdingSettings(), {
    'h2/settings-acknowledged': 'fail',
  }),
  waiting(
    'acknowledges SETTINGS with their values',
    answering((received) =>
      received.type === FrameType.settings && (received.flags & Flag.ack) === 0
        ? { ...received, flags: Flag.ack }
        : undefined,
    ),
    { 'h2/settings-acknowledged': 'fail' },
  ),
  breaking('refuses more than 16 streams with 503', refusingMany(16), { 'h2/concurrent': 'fail' }),
  breaking('refuses more than 19 streams with 503', refusingMany(19), { 'h2/concurrent': 'fail' }),
  breaking(
    'sends the same response on two of many streams',
    ((): Deviation => {
      let before = '';
      let count = 0;
      return {
        request: (request, client) => {
          if (client.version !== '2.0') return;
          if (++count % 10 === 0 && before) request.target = before;
          before = client.target;
        },
      };
    })(),
    { 'h2/concurrent': 'fail' },
  ),
  breaking(
    'sends one byte more than the window',
    onFrame((received) => {
      if (received.type !== FrameType.settings || received.payload.length !== 6) return received;
      const payload = Buffer.from(received.payload);
      if (payload.readUInt32BE(2) === 1000) payload.writeUInt32BE(1001, 2);
      return { ...received, payload };
    }),
    { 'h2/window-respected': 'fail' },
  ),
];
