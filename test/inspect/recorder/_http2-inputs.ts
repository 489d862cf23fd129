import * as fc from 'fast-check';
import {
  CONTINUATION,
  DATA,
  END_HEADERS,
  END_STREAM,
  frame,
  HEADERS,
  PING,
  PRIORITY,
  RST_STREAM,
  SETTINGS,
  uint32,
  WINDOW_UPDATE,
} from '../../_frames.ts';
import { settingsPayload } from '../../../src/wire/http2/frame-payload.ts';
import { place } from '../../fuzz/mutations.ts';
import { indexed, literal, sizeUpdate, type Literal } from '../../wire/http2/_hpack.ts';

/** HTTP/2 requests as frames: ordinary, odd and malformed. */

export interface Http2Input {
  /** After the preface; SETTINGS first. */
  readonly opening: Buffer;
  /** After the server's SETTINGS. */
  readonly frames: readonly Buffer[];
  readonly requests: number;
  /** Those that the client does not reset. */
  readonly streams: readonly number[];
  readonly cuts: readonly number[];
}

/** A request whose response shows the connection. */
export const ECHO_HTTP2: Http2Input = {
  opening: frame(SETTINGS, 0, 0),
  frames: [
    frame(
      HEADERS,
      END_HEADERS | END_STREAM,
      1,
      Buffer.concat([
        indexed(2),
        indexed(6),
        literal('literal', 1, 'x'),
        literal('literal', 4, '/get'),
      ]),
    ),
  ],
  requests: 1,
  streams: [1],
  cuts: [],
};

const PADDED = 0x8;
const WITH_PRIORITY = 0x20;
const PRIORITY_UPDATE = 0x10;

const settingIds = fc.constantFrom<[number, number]>(
  [1, 0],
  [1, 100],
  [1, 8192],
  [1, 65_536],
  [2, 0],
  [3, 10],
  [4, 2 ** 20],
  [4, 65_535],
  [5, 16_384],
  [5, 40_000],
  [6, 100_000],
  [8, 0],
  [9, 1],
  [0x1a1a, 7],
);
const settings = fc
  .array(settingIds, { maxLength: 6 })
  .map((pairs) => frame(SETTINGS, 0, 0, settingsPayload(pairs)));

/** Frames that belong to no request. */
const other = fc.oneof(
  fc.uint8Array({ minLength: 8, maxLength: 8 }).map((data) => frame(PING, 0, 0, Buffer.from(data))),
  fc.tuple(fc.integer({ min: 0, max: 40 }), fc.nat(255)).map(([stream, weight]) =>
    // On open, closed and idle streams; not on stream 0, where it is an error.
    frame(PRIORITY, 0, 2 * stream + 1, Buffer.from([stream % 2 === 0 ? 0 : 0x80, 0, 0, 0, weight])),
  ),
  fc
    .constantFrom('u=1', 'u=7, i', 'nonsense', '')
    .map((text) => frame(PRIORITY_UPDATE, 0, 0, Buffer.from(`\0\0\0\x01${text}`, 'latin1'))),
  fc.integer({ min: 1, max: 1000 }).map((more) => frame(WINDOW_UPDATE, 0, 0, uint32(more))),
  fc
    .tuple(fc.constantFrom(0xb, 0x21, 0xfe), fc.nat(255), fc.nat(3), fc.nat(2000))
    .map(([type, flags, stream, length]) => frame(type, flags, stream, Buffer.alloc(length, 0xa5))),
  settings,
);

interface Field {
  readonly name: string;
  readonly value: string;
  readonly kind: Literal | 'newest';
  readonly coded: { readonly name: boolean; readonly value: boolean };
}

const coded = fc.record({ name: fc.boolean(), value: fc.boolean() });
const kind = fc.constantFrom<Literal | 'newest'>(
  'literal-indexed',
  'literal',
  'never-indexed',
  'newest',
);
const goodName = fc.constantFrom('x-a', 'cookie', 'x-b-c', 'accept', 'te-st', '!x');
const goodValue = fc.oneof(
  fc.constantFrom('', 'a', 'a, b', 'caf\xe9', '\x80\xff', 'a\tb'),
  fc.stringMatching(/^[!-~]{1,40}$/),
  fc.nat(2000).map((length) => 'v'.repeat(length)),
);
const fields: fc.Arbitrary<Field> = fc.record({ name: goodName, value: goodValue, kind, coded });
/** nghttp2 drops them. */
const droppedFields: fc.Arbitrary<Field> = fc.record({
  name: fc.constantFrom('x-dropped', 'x\x01', 'x y'),
  value: fc.constantFrom('a\rb', 'a\nb', 'a\0b', ' a', 'a ', '\x07', '\ta'),
  kind,
  coded,
});
/** nghttp2 refuses the request. */
const refusedFields: fc.Arbitrary<Field> = fc.record({
  name: fc.constantFrom('Upper', 'connection', 'transfer-encoding', ':unknown', ':path', 'te'),
  value: fc.constantFrom('a', 'close', '/twice'),
  kind: fc.constant<Literal>('literal'),
  coded,
});

interface Request {
  readonly path: string;
  readonly fields: readonly Field[];
  readonly tableSize: number | undefined;
  readonly indexesPseudo: boolean;
  readonly padding: number | undefined;
  readonly priority: boolean;
  /** Where the block is cut into CONTINUATION frames. */
  readonly cuts: readonly number[];
  /** Undefined for GET. */
  readonly data: readonly (readonly [length: number, padding: number | undefined])[] | undefined;
  /** Added to what content-length says; undefined for none. */
  readonly lengthError: number | undefined;
  readonly trailers: boolean;
  readonly ending: 'end' | 'reset' | 'late';
}

const padding = fc.option(fc.nat(255), { nil: undefined });

function requests(oddity: number): fc.Arbitrary<Request> {
  const anyField = fc.oneof(
    { weight: 20 - oddity, arbitrary: fields },
    { weight: Math.ceil(oddity / 2), arbitrary: droppedFields },
    { weight: Math.floor(oddity / 4), arbitrary: refusedFields },
  );
  return fc.record({
    path: fc.constantFrom(
      '/anything',
      '/anything/a%20b?x=1',
      '/headers',
      '/status/404',
      '/nowhere',
    ),
    fields: fc.array(anyField, { maxLength: 6 }),
    tableSize: fc.option(fc.constantFrom(0, 100, 1000, 4096), { nil: undefined, freq: 6 }),
    indexesPseudo: fc.boolean(),
    padding,
    priority: fc.boolean(),
    cuts: fc.array(place, { maxLength: 3 }),
    data: fc.option(fc.array(fc.tuple(fc.nat(3000), padding), { maxLength: 3 }), {
      nil: undefined,
    }),
    lengthError: fc.constantFrom(undefined, 0, 0, ...(oddity > 0 ? [1, -1] : [])),
    trailers: fc.boolean(),
    ending: fc.constantFrom(...(['end', 'end', 'end', 'end', 'reset', 'late'] as const)),
  });
}

/** Encodes blocks and follows, roughly, what is in the table. */
class Encoder {
  #entries = 0;

  block(request: Request): Buffer {
    const { path, tableSize, indexesPseudo, data, lengthError } = request;
    const parts: Buffer[] = [];
    if (tableSize !== undefined) {
      parts.push(sizeUpdate(tableSize));
      this.#entries = 0;
      this.#mayIndex = tableSize === 4096;
    }
    const isPost = data !== undefined;
    if (indexesPseudo) parts.push(indexed(isPost ? 3 : 2), indexed(6), literal('literal', 1, 'x'));
    else {
      parts.push(literal('literal', ':method', isPost ? 'POST' : 'GET', { value: true }));
      parts.push(literal('never-indexed', ':scheme', 'http', { name: true }));
      parts.push(literal('literal', ':authority', 'x'));
    }
    parts.push(literal('literal', 4, path, { value: indexesPseudo }));
    if (data && lengthError !== undefined) {
      const length = data.reduce((sum, [size]) => sum + size, lengthError);
      parts.push(literal('literal', 28, String(Math.max(0, length))));
    }
    return Buffer.concat([...parts, ...request.fields.map((each) => this.#field(each))]);
  }

  #mayIndex = true;

  #field({ name, value, kind: representation, coded: huffman }: Field): Buffer {
    if (representation === 'newest') {
      return this.#entries > 0 ? indexed(62) : literal('literal', name, value, huffman);
    }
    if (representation === 'literal-indexed' && this.#mayIndex) this.#entries++;
    return literal(representation, name, value, huffman);
  }
}

function padded(length: number | undefined, before: Buffer, content: Buffer): Buffer {
  if (length === undefined) return Buffer.concat([before, content]);
  return Buffer.concat([Buffer.of(length), before, content, Buffer.alloc(length)]);
}

/** HEADERS and CONTINUATION, which nothing may separate. */
function headersOf(stream: number, block: Buffer, request: Request, ends: boolean): Buffer {
  const { cuts, padding: pad, priority } = request;
  const places = cuts.map((cut) => Math.floor(cut * block.length)).sort((a, b) => a - b);
  const fragments = [0, ...places].map((start, at) => block.subarray(start, places[at]));
  const before = priority ? Buffer.from([0, 0, 0, 0, stream % 256]) : Buffer.alloc(0);
  return Buffer.concat(
    fragments.map((fragment, at) => {
      const last = at === fragments.length - 1 ? END_HEADERS : 0;
      if (at > 0) return frame(CONTINUATION, last, stream, fragment);
      const flags =
        last |
        (ends ? END_STREAM : 0) |
        (pad === undefined ? 0 : PADDED) |
        (priority ? WITH_PRIORITY : 0);
      return frame(HEADERS, flags, stream, padded(pad, before, fragment));
    }),
  );
}

/** In the order in which they must be sent; frames of other streams may come between. */
function framesOf(stream: number, request: Request, encoder: Encoder): Buffer[] {
  const { data, trailers, ending } = request;
  const block = encoder.block(request);
  if (!data) return [headersOf(stream, block, request, true)];
  const found = [headersOf(stream, block, request, false)];
  data.forEach(([length, pad], at) => {
    const isLast = at === data.length - 1 && !trailers && ending === 'end';
    const flags = (isLast ? END_STREAM : 0) | (pad === undefined ? 0 : PADDED);
    found.push(
      frame(DATA, flags, stream, padded(pad, Buffer.alloc(0), Buffer.alloc(length, 0x61))),
    );
  });
  if (ending === 'reset') return [...found, frame(RST_STREAM, 0, stream, uint32(8))];
  if (trailers) {
    // Without a table, since their place among the other blocks is not known here.
    const section = Buffer.concat([
      literal('literal', 'x-trailer', 'a'),
      literal('never-indexed', 'x-other', 'b', { name: true, value: true }),
    ]);
    const flags = END_HEADERS | END_STREAM;
    return [...found, frame(HEADERS, flags, stream, section)];
  }
  if (ending === 'end' && data.length > 0) return found;
  // An empty DATA frame ends it.
  return [...found, frame(DATA, END_STREAM, stream)];
}

/** What ends the connection. */
const fatal = fc.constantFrom(
  frame(PING, 0, 0, Buffer.alloc(7)),
  frame(SETTINGS, 0, 0, Buffer.alloc(5)),
  frame(WINDOW_UPDATE, 0, 0, uint32(0)),
  frame(DATA, 0, 0, Buffer.from('x')),
  frame(HEADERS, END_HEADERS, 2, Buffer.from([0x82])),
  frame(HEADERS, END_HEADERS | END_STREAM, 999, Buffer.from([0xff, 0xff, 0xff, 0xff, 0xff, 0xff])),
  frame(HEADERS, END_HEADERS | PADDED, 999, Buffer.from([9, 0x82])),
  frame(CONTINUATION, END_HEADERS, 1, Buffer.from([0x82])),
  frame(RST_STREAM, 0, 999, uint32(8)),
  frame(PRIORITY, 0, 0, Buffer.alloc(5)),
  frame(0x7, 0, 0, Buffer.from('\0\0\0\0\0\0\0\x02debug', 'latin1')),
);

/** @param oddity how many of 20 fields are dropped or refused, about */
export function http2Inputs(oddity: number): fc.Arbitrary<Http2Input> {
  return fc
    .record({
      opening: settings,
      requests: fc.array(requests(oddity), { minLength: 1, maxLength: 8 }),
      others: fc.array(fc.tuple(place, other), { maxLength: 8 }),
      order: fc.array(fc.nat(7), { minLength: 40, maxLength: 40 }),
      last: oddity > 0 ? fc.option(fatal, { nil: undefined, freq: 4 }) : fc.constant(undefined),
      cuts: fc.array(place, { maxLength: 6 }),
      gap: fc.constantFrom(2, 2, 2, 4),
    })
    .map(({ opening, requests: list, others, order, last, cuts, gap }) => {
      const encoder = new Encoder();
      const streams = list.map((_, at) => 1 + at * gap);
      const frames = mixed(
        list.map((request, at) => framesOf(streams[at] ?? 1, request, encoder)),
        order,
      );
      for (const [part, extra] of others) {
        frames.splice(Math.floor(part * frames.length), 0, extra);
      }
      if (last) frames.push(last);
      const window = frame(WINDOW_UPDATE, 0, 0, uint32(2 ** 24));
      const waited = streams.filter((_, at) => !list[at]?.data || list[at].ending !== 'reset');
      return {
        opening: Buffer.concat([opening, window]),
        frames,
        requests: list.length,
        streams: waited,
        cuts,
      };
    });
}

/** The frames of all streams in any order, except that streams are opened in order. */
function mixed(streams: readonly (readonly Buffer[])[], order: readonly number[]): Buffer[] {
  const queues = streams.map((frames) => [...frames]);
  const all: Buffer[] = [];
  let opened = 0;
  for (let turn = 0; queues.some(({ length }) => length > 0); turn++) {
    const at = (order[turn % order.length] ?? 0) % (Math.min(opened, queues.length - 1) + 1);
    const next = queues[at]?.length ? at : queues.findIndex(({ length }) => length > 0);
    const [first] = queues[next]?.splice(0, 1) ?? [];
    if (first) all.push(first);
    if (next === opened) opened++;
  }
  return all;
}
