import { constants } from 'node:http2';
import { Flag, FrameType, uint32, type RawFrame } from '../../../src/wire/http2/frame.ts';
import { valueOf, type FieldLine } from '../../../src/check/message.ts';
import type { FrameRewriting } from '../_frame-rewriter.ts';
import { silent, wrong, type WrongProxy } from '../_wrong.ts';

/** A server that mends the fields of a malformed request. */
const mending = (
  name: string,
  change: (fields: readonly FieldLine[]) => readonly FieldLine[],
  ...ids: readonly string[]
): WrongProxy =>
  wrong(name, Object.fromEntries(ids.map((id) => [`h2/${id}`, 'fail' as const])), {
    frames: { fields: change },
  });

/** A server that ignores some frames. */
const ignoring = (
  name: string,
  isIgnored: (frame: RawFrame) => boolean,
  ...ids: readonly string[]
): WrongProxy =>
  silent(name, Object.fromEntries(ids.map((id) => [`h2/${id}`, 'fail' as const])), {
    frames: { frame: (received) => (isIgnored(received) ? undefined : received) },
  });

const renaming = (change: (name: string) => string) => (fields: readonly FieldLine[]) =>
  fields.map(([name, value]): FieldLine => [change(name), value]);

const dropping =
  (isDropped: (name: string, value: string) => boolean) => (fields: readonly FieldLine[]) =>
    fields.filter(([name, value]) => !isDropped(name, value));

/** Keeps the last of the lines of a name. */
const lastOf = (wanted: string) => (fields: readonly FieldLine[]) => {
  const last = fields.findLast(([name]) => name === wanted);
  return fields.filter((line) => line[0] !== wanted || line === last);
};

/** Adds a pseudo-header field that is missing; trailers have none. */
const adding = (wanted: string, value: string) => (fields: readonly FieldLine[]) =>
  fields.some(([name]) => name.startsWith(':')) && valueOf(fields, wanted) === undefined
    ? [[wanted, value] as const, ...fields]
    : fields;

const changing =
  (change: (value: string, name: string) => string) => (fields: readonly FieldLine[]) =>
    fields.map(([name, value]): FieldLine => [name, change(value, name)]);

/** Makes a line break in a value the end of a field, as HTTP/1.1 does. */
const splitting = (pattern: string) => (fields: readonly FieldLine[]) =>
  fields.flatMap(([name, value]): FieldLine[] => {
    const [first = '', second] = value.split(pattern);
    if (second === undefined || value.includes('\r') !== pattern.includes('\r'))
      return [[name, value]];
    const [hidden = '', rest = ''] = second.split(': ');
    return [
      [name, first],
      [hidden, rest],
    ];
  });

/** Refuses all but the first ten requests on each connection of HTTP/2. */
function servingTen(): WrongProxy['deviation'] {
  const requests = new Map<number, number>();
  return {
    refuses: ({ version, port }) => {
      const count = (requests.get(port) ?? 0) + 1;
      requests.set(port, count);
      return version === '2.0' && count > 10 ? 503 : undefined;
    },
  };
}

const fields: readonly WrongProxy[] = [
  mending(
    'writes names in lower case',
    renaming((name) => name.toLowerCase()),
    'uppercase',
  ),
  mending(
    'makes spaces of names hyphens',
    renaming((name) => name.replace(' ', '-')),
    'name-space',
  ),
  mending(
    'cuts names at a colon',
    renaming((name) => name.replace(/(.):.*/, '$1')),
    'name-colon',
  ),
  mending(
    'names fields without a name',
    renaming((name) => name || 'x-unnamed'),
    'name-empty',
  ),
  mending(
    'serves a request with NUL in a value',
    (lines) =>
      lines.some(([, value]) => value.includes('\0'))
        ? lines.flatMap(([name, value]): FieldLine[] =>
            value.includes('\0') ? [] : [[name, name === ':path' ? '/status/200' : value]],
          )
        : lines,
    'value-nul',
  ),
  mending(
    'encodes spaces of values',
    changing((value) => value.replace(/^ /, '%20')),
    'value-space',
  ),
  mending('makes CR LF the end of a field', splitting('\r\n'), 'value-crlf'),
  mending('makes LF the end of a field', splitting('\n'), 'value-lf'),
  mending(
    'ignores Connection',
    dropping((name) => name === 'connection'),
    'connection',
  ),
  ...['transfer-encoding', 'keep-alive', 'upgrade', 'te'].map((field) =>
    wrong(`ignores ${field}`, `h2/${field}`, {
      frames: { fields: dropping((name) => name === field) },
    }),
  ),
  mending(
    'sorts pseudo-header fields',
    (lines) => lines.toSorted(([a], [b]) => Number(b.startsWith(':')) - Number(a.startsWith(':'))),
    'late-pseudo',
  ),
  mending('takes the last :path', lastOf(':path'), 'repeated-path'),
  mending('takes the last :authority', lastOf(':authority'), 'repeated-authority'),
  mending(
    'ignores unknown pseudo-header fields',
    dropping((name) => name === ':check'),
    'unknown-pseudo',
  ),
  mending(
    'ignores :status',
    dropping((name) => name === ':status'),
    'response-pseudo',
  ),
  mending('takes a missing :path for /', adding(':path', '/status/200'), 'no-path'),
  mending('takes a missing :method for GET', adding(':method', 'GET'), 'no-method'),
  mending('takes a missing :scheme for http', adding(':scheme', 'http'), 'no-scheme'),
  mending(
    'takes an empty :path for /',
    changing((value, name) => (name === ':path' && value === '' ? '/status/200' : value)),
    'empty-path',
  ),
  mending(
    'cuts :path at a space',
    changing((value, name) => (name === ':path' ? value.replace(/ .*/, '') : value)),
    'path-space',
  ),
  mending(
    'cuts :method at a space',
    changing((value, name) => (name === ':method' ? value.replace(/ .*/, '') : value)),
    'method-space',
  ),
  mending(
    'removes userinfo',
    changing((value, name) => (name === ':authority' ? value.replace(/.*@/, '') : value)),
    'authority-userinfo',
  ),
  mending(
    'ignores content-length that is not that of DATA',
    dropping((name, value) => name === 'content-length' && (value === '10' || value === '2')),
    'length-short',
    'length-long',
  ),
  mending(
    'takes the last content-length',
    dropping((name, value) => name === 'content-length' && value === '8'),
    'length-twice',
  ),
];

const frames: readonly WrongProxy[] = [
  ignoring(
    'ignores DATA on stream 0',
    ({ type, stream }) => type === FrameType.data && stream === 0,
    'data-on-stream-0',
  ),
  ignoring('accepts large frames', ({ payload }) => payload.length > 1_000_000, 'frame-too-large'),
  ignoring(
    'ignores an increment of 0',
    ({ type, payload }) => type === FrameType.windowUpdate && payload.readUInt32BE() === 0,
    'window-0',
  ),
  ignoring(
    'lets a window overflow',
    ({ type, payload }) =>
      type === FrameType.windowUpdate && payload.readUInt32BE() === 2 ** 31 - 1,
    'window-overflow',
  ),
  ignoring(
    'ignores RST_STREAM of idle streams',
    ({ type, stream }) => type === FrameType.rstStream && stream === 101,
    'rst-idle',
  ),
  ignoring(
    'ignores DATA of idle streams',
    ({ type, stream }) => type === FrameType.data && stream === 101,
    'data-idle',
  ),
  ignoring(
    'ignores WINDOW_UPDATE of idle streams',
    ({ type, stream }) => type === FrameType.windowUpdate && stream === 101,
    'window-idle',
  ),
  ignoring(
    'accepts large HEADERS',
    ({ type, payload }) => type === FrameType.headers && payload.length > 16_384,
    'headers-too-large',
  ),
  ignoring(
    'ignores a size update at the end of a field block',
    ({ type, payload }) => type === FrameType.headers && payload.toString('hex').endsWith('012f20'),
    'hpack-size-update',
  ),
  ignoring(
    'ignores the padding of Huffman codes',
    ({ type, payload }) =>
      type === FrameType.headers && payload.toString('hex').endsWith('82f3ff00'),
    'hpack-padding',
  ),
  ignoring(
    'ignores even streams',
    ({ type, stream }) => type === FrameType.headers && stream === 2,
    'even-stream',
  ),
  ignoring(
    'ignores field blocks that it cannot decode',
    ({ type, payload }) =>
      type === FrameType.headers && payload.equals(Buffer.of(0xff, 0xff, 0x7f)),
    'hpack-index',
  ),
  ignoring('ignores CONTINUATION', ({ type }) => type === FrameType.continuation, 'continuation'),
  ignoring(
    'ignores SETTINGS of a wrong length',
    ({ type, payload }) => type === FrameType.settings && payload.length === 5,
    'settings-length',
  ),
  ignoring(
    'ignores PING of a wrong length',
    ({ type, payload }) => type === FrameType.ping && payload.length === 7,
    'ping-length',
  ),
  ignoring(
    'does not acknowledge PING',
    ({ type, payload }) => type === FrameType.ping && payload.length === 8,
    'ping',
  ),
  ignoring('ignores SETTINGS', ({ type }) => type === FrameType.settings, 'settings-acknowledged'),
  wrong('sends more than a window of 1,000 bytes allows', 'h2/window-respected', {
    frames: {
      frame: (received) =>
        received.payload.toString('hex').endsWith('0004000003e8')
          ? { ...received, payload: Buffer.alloc(0) }
          : received,
    },
  }),
  wrong(
    'serves ten requests of a connection',
    {
      'h2/concurrent': 'fail',
      'h2/canceled-uploads': 'fail',
      'h2 connection/many-requests': 'fail',
      'h2 connection/own-responses': 'fail',
    },
    servingTen(),
  ),
  wrong('closes for frames of unknown types', 'h2/unknown-frame', {
    frames: {
      frame: (received) =>
        received.type === 0xfa ? { ...received, type: FrameType.data } : received,
    },
  }),
  wrong('takes the padding of DATA for content', 'h2/padded', {
    frames: {
      frame: (received) =>
        received.type === FrameType.data
          ? { ...received, flags: received.flags & ~Flag.padded }
          : received,
    },
  }),
  silent('does not renew the window for padding', 'h2/padding-window', {
    frames: { leaks: 'padding' },
  }),
  silent('does not renew a larger window for padding', 'h2/padding-window', {
    frames: { leaks: 'padding' },
    settings: { initialWindowSize: 128 * 1024 },
    connectionWindow: 128 * 1024,
  }),
  silent('renews the window of a connection only', 'h2/padding-window', {
    frames: { leaks: 'padding of streams' },
    connectionWindow: 1024 * 1024,
  }),
  wrong(
    'takes much padding for an attack',
    { 'h2/padding-window': 'not-applicable' },
    { frames: { answer: calmingAfter(50) } },
  ),
  wrong('closes for unknown settings', 'h2/unknown-setting', {
    frames: {
      frame: (received) =>
        received.payload.toString('hex') === 'abcd00000001'
          ? { ...received, payload: Buffer.alloc(5) }
          : received,
    },
  }),
  wrong('closes for PRIORITY', 'h2/priority', {
    frames: {
      frame: (received) =>
        received.type === FrameType.priority
          ? { ...received, type: FrameType.data, stream: 0 }
          : received,
    },
  }),
  wrong('makes the scheme a part of the path', ['h2/scheme-unknown', 'h2/scheme-url'], {
    frames: {
      fields: (lines) => {
        const scheme = valueOf(lines, ':scheme') ?? '';
        if (/^https?$/.test(scheme)) return lines;
        return lines.map(([name, value]) => {
          if (name === ':scheme') return [name, 'http'];
          return [name, name === ':path' ? `/anything/${scheme.replaceAll(/\W/g, '-')}` : value];
        });
      },
    },
  }),
];

/** A reset of a request that a client no longer wants. */
const isCancel = ({ type, payload }: RawFrame): boolean =>
  type === FrameType.rstStream && payload.length === 4 && payload.readUInt32BE() === 8;

/** Refuses all requests of HTTP/2 after many of them were reset. */
function refusingAfterResets(): WrongProxy['deviation'] {
  let resets = 0;
  return {
    frames: {
      frame: (received) => {
        if (isCancel(received)) resets++;
        return received;
      },
    },
    refuses: ({ version }) => (version === '2.0' && resets > 50 ? 503 : undefined),
  };
}

const floods: readonly WrongProxy[] = [
  silent('reads a field block without an end', 'h2/continuation-flood', {
    frames: {
      // It keeps none of what goes on, so that nghttp2 does not see how much it was.
      frame: (received) =>
        received.type === FrameType.continuation &&
        received.payload.length < 16_384 &&
        (received.flags & Flag.endHeaders) === 0
          ? undefined
          : received,
    },
  }),
  wrong('serves no other connection during a flood', 'h2/reset-flood', refusingAfterResets()),
];

/** Sends GOAWAY with ENHANCE_YOUR_CALM for padded DATA after so many of them. */
function calmingAfter(count: number): NonNullable<FrameRewriting['answer']> {
  const payload = Buffer.concat([uint32(1), uint32(constants.NGHTTP2_ENHANCE_YOUR_CALM)]);
  let padded = 0;
  return ({ flags, type }) => {
    const isPadded = type === FrameType.data && (flags & Flag.padded) !== 0;
    return isPadded && ++padded > count
      ? { type: FrameType.goaway, flags: 0, stream: 0, payload }
      : undefined;
  };
}

/** Gateways that receive HTTP/2 wrongly. */
export const wrongHttp2: readonly WrongProxy[] = [...fields, ...frames, ...floods];
