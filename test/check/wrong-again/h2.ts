import type { Deviation } from '../_gateway-messages.ts';
import { Flag, FrameType } from '../../../src/wire/http2/frame.ts';
import { by, mapped, silent, without, wrong, type Turns, type WrongProxy } from '../_wrong.ts';
import {
  HOPS,
  NAMES,
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
const changing = (name: string, turns: Turns, change: Parameters<typeof mapped>[1]): WrongProxy =>
  reads(name, turns, (fields) => mapped(fields, change));

const reads = by(reading);
const changesFrames = by(onFrame);

/** Gateways that make something of malformed frames and fields. */
export const wrongHttp2: readonly WrongProxy[] = [
  reads('drops malformed fields, and serves the rest', { ...NAMES, ...VALUES, ...HOPS }, (fields) =>
    fields.filter(isWellFormed),
  ),
  wrong(
    'answers a malformed request with a page and 200',
    {
      ...NAMES,
      ...VALUES,
      ...HOPS,
    },
    emptyAnswer(200),
  ),
  wrong('redirects a malformed request', { ...NAMES, ...VALUES, ...HOPS }, emptyAnswer(302)),
  silent(
    'never answers a malformed request',
    { ...NAMES, ...VALUES, ...HOPS },
    { ...emptyAnswer(200), workers: 0 },
  ),
  reads(
    'makes hyphens of what may not be in a name, and spaces of what may not be in a value',
    { ...NAMES, ...VALUES },
    (fields) =>
      fields.map(([name, value]) => [
        name
          .toLowerCase()
          .replaceAll(/(?!^:)[ :]/g, '-')
          .replace(/^$/, 'x-empty'),
        // oxlint-disable-next-line no-control-regex -- They are malformed.
        value.replaceAll(/[\0\r\n]+/g, ' '),
      ]),
  ),
  reads(
    'ends a value at the first control character',
    // oxlint-disable-next-line no-control-regex -- They are malformed.
    VALUES,
    (fields) => mapped(fields, (value) => value.replace(/[\0\r\n][^]*$/, '')),
  ),
  changing('makes a quoted string of a value with a space before it', 'h2/value-space', (value) =>
    value.replace(/^ +/, '"').replace(/^".*$/, '$&"'),
  ),
  changing('takes TE of gzip for trailers', 'h2/te', (value, name) =>
    name === 'te' ? 'trailers' : value,
  ),
  reads('obeys Connection on HTTP/2', 'h2/connection', (fields) => {
    const listed = fields.filter(([name]) => name === 'connection').map(([, value]) => value);
    return without(fields, 'connection', ...listed);
  }),
  reads('completes pseudo-header fields', SECTIONS, (fields) =>
    withPseudo(fields, (own) => {
      if (!own.get(':path')) own.set(':path', '/anything');
      if (!own.has(':method')) own.set(':method', 'GET');
      if (!own.has(':scheme')) own.set(':scheme', 'http');
    }),
  ),
  reads(
    'takes a missing :method for OPTIONS and a missing :path for *',
    ['h2/no-method', 'h2/no-path', 'h2/empty-path'],
    (fields) =>
      withPseudo(fields, (own) => {
        if (!own.has(':method')) own.set(':method', 'OPTIONS');
        if (!own.get(':path')) {
          own.set(':path', '*');
          own.set(':method', 'OPTIONS');
        }
      }),
  ),
  changing(
    'makes a plus of a space in :path, and a hyphen in :method',
    ['h2/path-space', 'h2/method-space'],
    (value, name) => {
      if (name === ':path') return value.replaceAll(' ', '+');
      return name === ':method' ? value.replaceAll(/[ /]/g, '-') : value;
    },
  ),
  changing(
    'removes spaces from :path and :method',
    ['h2/path-space', 'h2/method-space'],
    (value, name) => (name.startsWith(':') ? value.replaceAll(' ', '') : value),
  ),
  changing('encodes a space in :path twice', 'h2/path-space', (value, name) =>
    name === ':path' ? value.replaceAll(' ', '%2520') : value,
  ),
  reads('makes Authorization of userinfo in :authority', 'h2/authority-userinfo', (fields) => {
    const [, user] = /^(.*)@/.exec(fields.find(([name]) => name === ':authority')?.[1] ?? '') ?? [];
    const rest = mapped(fields, (value, name) =>
      name === ':authority' ? value.replace(/^.*@/, '') : value,
    );
    return user === undefined
      ? rest
      : [...rest, ['authorization', `Basic ${Buffer.from(user).toString('base64')}`]];
  }),
  reads(
    'counts DATA by itself, and removes content-length',
    ['h2/length-short', 'h2/length-long', 'h2/length-twice'],
    (fields) => without(fields, 'content-length'),
  ),
  changesFrames('fills DATA that is shorter than content-length', 'h2/length-short', (received) =>
    received.type === FrameType.data && String(received.payload) === 'short'
      ? { ...received, payload: Buffer.concat([received.payload, Buffer.alloc(5)]) }
      : received,
  ),
  changesFrames('cuts DATA that is longer than content-length', 'h2/length-long', (received) =>
    received.type === FrameType.data && String(received.payload) === 'longer'
      ? { ...received, payload: received.payload.subarray(0, 2) }
      : received,
  ),
  reads('takes the first of two lengths', 'h2/length-twice', (fields) =>
    fields.filter(
      ([name], at) =>
        name !== 'content-length' || fields.findIndex(([other]) => other === name) === at,
    ),
  ),
  silent(
    'makes a stream error of a connection error',
    ['h2/rst-idle', 'h2/even-stream', 'h2/hpack-index', 'h2/continuation'],
    answering((received) => {
      const { type, stream, payload } = received;
      if (type === FrameType.rstStream && stream > 100) return rstStream(stream, 5);
      if (type === FrameType.headers && stream % 2 === 0) return rstStream(stream, 1);
      if (type === FrameType.headers && payload.length === 3) return rstStream(stream, 9);
      if (type === FrameType.continuation) return rstStream(stream, 1);
      return undefined;
    }),
  ),
  silent(
    'acknowledges SETTINGS and PING of a wrong length',
    ['h2/settings-length', 'h2/ping-length'],
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
  ),
  wrong(
    'answers DATA on stream 0 and a wrong WINDOW_UPDATE with GOAWAY, and serves on',
    ['h2/data-on-stream-0', 'h2/window-0', 'h2/window-overflow'],
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
  ),
  silent(
    'reads what fits of a frame that is too large',
    'h2/frame-too-large',
    onFrame((received) =>
      received.payload.length > 16_384
        ? { ...received, payload: received.payload.subarray(0, 6) }
        : received,
    ),
  ),
  silent(
    'loses the frame after one of an unknown type',
    'h2/unknown-frame',
    afterFrame(
      ({ type }) => type > 0x20,
      () => undefined,
    ),
  ),
  wrong(
    'resets the stream after a frame of an unknown type',
    'h2/unknown-frame',
    afterFrame(
      ({ type }) => type > 0x20,
      (received) => ({ ...received, stream: received.stream + 1 }),
    ),
  ),
  changesFrames('refuses frames of unknown types on streams', 'h2/unknown-frame', (received) =>
    received.type > 0x20 && received.stream > 0 ? rstStream(101, 1) : received,
  ),
  silent(
    'ignores SETTINGS with an unknown setting, and does not acknowledge them',
    'h2/unknown-setting',
    onFrame((received) =>
      received.type === FrameType.settings &&
      received.payload.length >= 6 &&
      received.payload.readUInt16BE(0) > 0xff
        ? undefined
        : received,
    ),
  ),
  silent(
    'opens a stream at PRIORITY, which closes those below',
    'h2/priority',
    afterFrame(
      ({ type }) => type === FrameType.priority,
      () => undefined,
    ),
  ),
  changesFrames('acknowledges PING with other bytes', 'h2/ping', (received) =>
    received.type === FrameType.ping
      ? { ...received, payload: Buffer.from(received.payload.toReversed()) }
      : received,
  ),
  silent(
    'answers PING with a PING that acknowledges nothing',
    'h2/ping',
    answering((received) =>
      received.type === FrameType.ping ? { ...received, flags: 0 } : undefined,
    ),
  ),
  silent(
    'acknowledges SETTINGS with the first request',
    'h2/settings-acknowledged',
    holdingSettings(),
  ),
  silent(
    'acknowledges SETTINGS with their values',
    'h2/settings-acknowledged',
    answering((received) =>
      received.type === FrameType.settings && (received.flags & Flag.ack) === 0
        ? { ...received, flags: Flag.ack }
        : undefined,
    ),
  ),
  wrong('refuses more than 19 streams with 503', 'h2/concurrent', refusingMany(19)),
  wrong(
    'sends the same response on two of many streams',
    'h2/concurrent',
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
  ),
  changesFrames('sends one byte more than the window', 'h2/window-respected', (received) => {
    if (received.type !== FrameType.settings) return received;
    const payload = Buffer.from(received.payload);
    for (let at = 2; at < payload.length; at += 6)
      if (payload.readUInt32BE(at) === 1000) payload.writeUInt32BE(1001, at);
    return { ...received, payload };
  }),
];
