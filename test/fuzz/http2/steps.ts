import * as fc from 'fast-check';
import { Flag, frame, FrameType, uint32 } from '../../../src/wire/http2/frame.ts';
import type { Chosen, Client } from './client.ts';
import { piecesOf, place } from '../mutations.ts';
import { changedLines, target, trailerLines, validLines, type Lines } from './messages.ts';

/** Frames of a client, which follow from what it has sent so far. */
export type Step = (client: Client) => Buffer;

const chosen: fc.Arbitrary<Chosen> = fc.record({
  of: fc.constantFrom<Chosen['of']>(
    ...Array.from({ length: 8 }, () => 'open' as const),
    ...Array.from({ length: 3 }, () => 'begun' as const),
    ...Array.from({ length: 3 }, () => 'last' as const),
    'idle',
    'even',
    'none',
  ),
  at: place,
});
const openOne: fc.Arbitrary<Chosen> = fc.record({ of: fc.constant('open' as const), at: place });
const rarely = fc.nat(19).map((number) => number === 0);
const ends = fc.boolean();
const content = fc
  .constantFrom(0, 1, 5, 5, 100, 1000, 16_384)
  .map((size) => Buffer.alloc(size, 'c'));
const codes = fc.constantFrom(0, 1, 2, 5, 7, 8, 11, 13, 999, 2 ** 32 - 1);

/** Parts of a frame that precede a field block or content, and follow it (RFC 9113 6.1, 6.2). */
interface Around {
  readonly flags: number;
  readonly before: Buffer;
  readonly after: Buffer;
}

const NOTHING = Buffer.alloc(0);
const PLAIN: Around = { flags: 0, before: NOTHING, after: NOTHING };
const padding: fc.Arbitrary<Around> = fc.constantFrom(0, 1, 20, 255).map((length) => ({
  flags: Flag.padded,
  before: Buffer.of(length),
  after: Buffer.alloc(length),
}));
const dependency: fc.Arbitrary<Around> = fc
  .tuple(fc.constantFrom(0, 0, 0, 0, 0, 0, 1, 3, 2 ** 31), fc.nat(255))
  .map(([on, weight]) => ({
    flags: Flag.priority,
    before: Buffer.concat([uint32(on), Buffer.of(weight)]),
    after: NOTHING,
  }));
const both: fc.Arbitrary<Around> = fc.tuple(padding, dependency).map(([outer, inner]) => ({
  flags: outer.flags | inner.flags,
  before: Buffer.concat([outer.before, inner.before]),
  after: outer.after,
}));
const wrong: fc.Arbitrary<Around> = fc.constantFrom<Around>(
  { flags: Flag.padded, before: NOTHING, after: NOTHING },
  { flags: Flag.padded, before: Buffer.of(255), after: NOTHING },
  { flags: Flag.padded, before: Buffer.of(3), after: Buffer.alloc(2) },
  { flags: Flag.priority, before: NOTHING, after: NOTHING },
  { flags: 0xd2, before: NOTHING, after: NOTHING },
);
const around = fc.oneof(
  { weight: 16, arbitrary: fc.constant(PLAIN) },
  { weight: 2, arbitrary: padding },
  { weight: 2, arbitrary: dependency },
  both,
  wrong,
);

/** HEADERS with this block, and CONTINUATION at these cuts. */
function section(
  stream: number,
  block: Buffer,
  isEnd: boolean,
  { flags, before, after }: Around,
  cuts: readonly number[],
): Buffer {
  const [first = NOTHING, ...rest] = cuts.length === 0 ? [block] : piecesOf(block, cuts);
  const last = rest.length === 0 ? Flag.endHeaders : 0;
  const payload = Buffer.concat([before, first, after]);
  const frames = [frame(FrameType.headers, flags | last | Number(isEnd), stream, payload)];
  for (const [at, piece] of rest.entries()) {
    const isLast = at === rest.length - 1;
    frames.push(frame(FrameType.continuation, isLast ? Flag.endHeaders : 0, stream, piece));
  }
  return Buffer.concat(frames);
}

const fewCuts = fc.oneof(
  { weight: 9, arbitrary: fc.constant([]) },
  fc.array(place, { maxLength: 3 }),
);

function request(lines: fc.Arbitrary<Lines>): fc.Arbitrary<Step> {
  return fc
    .record({ lines, ends, skips: rarely, around, cuts: fewCuts })
    .map(({ lines: list, ends: isEnd, skips, around: parts, cuts }): Step => (client) => {
      const id = client.begin(skips, isEnd);
      return section(id, client.block(list), isEnd, parts, cuts);
    });
}

/** Content of a stream. @param on which one */
const data = (on: fc.Arbitrary<Chosen>): fc.Arbitrary<Step> =>
  fc
    .record({ on, ends, content, around })
    .map(({ on: choice, ends: isEnd, content: bytes, around: { flags, before, after } }): Step => {
      return (client) => {
        const id = client.stream(choice);
        if (isEnd) client.end(id);
        const payload = Buffer.concat([before, bytes, after]).subarray(0, 16_384);
        return frame(FrameType.data, (flags & ~Flag.priority) | Number(isEnd), id, payload);
      };
    });

/** More content than a stream may have unread. */
const muchData: fc.Arbitrary<Step> = fc
  .record({ on: openOne, frames: fc.constantFrom(2, 4, 5, 6) })
  .map(({ on, frames }): Step => (client) => {
    const bytes = frame(FrameType.data, 0, client.stream(on), Buffer.alloc(16_384, 'm'));
    return Buffer.concat(Array.from({ length: frames }, () => bytes));
  });

const trailers = (on: fc.Arbitrary<Chosen>): fc.Arbitrary<Step> =>
  fc
    .record({
      on,
      isLast: fc.nat(9).map((number) => number > 0),
      lines: trailerLines,
      cuts: fewCuts,
    })
    .map(({ on: choice, isLast, lines, cuts }): Step => (client) => {
      const id = client.stream(choice);
      if (isLast) client.end(id);
      return section(id, client.block(lines), isLast, PLAIN, cuts);
    });

/** A frame with a payload of its own. @param on a stream, or none for the connection */
function control(
  type: number,
  payload: fc.Arbitrary<Uint8Array>,
  on: fc.Arbitrary<Chosen> | 'connection',
  flags: readonly number[] = [0],
): fc.Arbitrary<Step> {
  const place0: fc.Arbitrary<Chosen> =
    on === 'connection'
      ? fc.nat(29).map((number) => ({ of: number === 0 ? 'last' : 'none', at: 0 }))
      : on;
  return fc.tuple(payload, place0, fc.constantFrom(...flags)).map(
    ([bytes, choice, flag]): Step =>
      (client) =>
        frame(type, flag, client.stream(choice), bytes),
  );
}

const resets: fc.Arbitrary<Step> = fc
  .tuple(codes, chosen)
  .map(([code, choice]): Step => (client) => {
    const id = client.stream(choice);
    client.end(id);
    return frame(FrameType.rstStream, 0, id, uint32(code));
  });

const ids = fc.constantFrom(1, 2, 3, 4, 4, 5, 6, 7, 8, 9, 0, 0xfafa);
const values = fc.constantFrom(
  0,
  1,
  2,
  10,
  100,
  4096,
  16_383,
  16_384,
  65_535,
  65_536,
  2 ** 24 - 1,
  2 ** 24,
  2 ** 31 - 1,
  2 ** 31,
  2 ** 32 - 1,
);
/** Payloads of SETTINGS. */
export const settings = fc
  .array(
    fc
      .tuple(ids, values)
      .map(([id, value]) => Buffer.concat([Buffer.of(id >> 8, id & 255), uint32(value)])),
    { maxLength: 3 },
  )
  .map((list) => Buffer.concat(list));
const increments = fc
  .constantFrom(1, 10, 1000, 65_535, 0, 2 ** 31 - 1, 2 ** 31 + 1)
  .map((by) => uint32(by));
/** Payloads of lengths that few frames may have. */
const lengths = fc
  .constantFrom(0, 1, 3, 4, 5, 6, 7, 8, 9, 12, 20)
  .map((length) => Buffer.alloc(length, 1));

const raw = (...bytes: number[]): Buffer => Buffer.of(...bytes);
const BLOCKS = [
  raw(0x80),
  raw(0xff, 0x80, 0x80, 0x80, 0x80),
  raw(0xbe),
  raw(0xff),
  raw(0x20),
  raw(0x3f, 0xe1, 0x1f),
  raw(0x3f, 0xe2, 0x1f),
  raw(0x20, 0x3f, 0xe1, 0x1f),
  raw(0x82, 0x20),
  raw(0x82, 0x87, 0x84),
  raw(0x82, 0x86, 0x84, 0x41, 0x01, 0x78),
  raw(0x41, 0x81, 0xff),
  raw(0x41, 0x81, 0x00),
  raw(0x41, 0x84, 0xff, 0xff, 0xff, 0xff),
  raw(0x41, 0x05, 0x61),
  raw(0x40, 0x00),
  raw(0x0f),
  raw(),
];
/** A new request, or any other section, whose block may be malformed. */
const rawBlock: fc.Arbitrary<Step> = fc
  .record({ bytes: fc.constantFrom(...BLOCKS), ends, on: fc.option(chosen), cuts: fewCuts })
  .map(({ bytes, ends: isEnd, on, cuts }): Step => (client) => {
    const id = on ? client.stream(on) : client.begin(false, isEnd);
    return section(id, bytes, isEnd, PLAIN, cuts);
  });

/** Field blocks that do not end, or end elsewhere (RFC 9113 4.3, 6.10). */
const openBlock: fc.Arbitrary<Step> = fc
  .record({
    count: fc.constantFrom(0, 1, 2, 7, 8, 9, 12),
    size: fc.constantFrom(0, 1, 100),
    isClosed: ends,
    onOther: rarely,
  })
  .map(({ count, size, isClosed, onOther }): Step => (client) => {
    const id = client.begin(false, true);
    const lines = target('GET', '/seen').concat([['x-a', 'v'.repeat(size * count)]]);
    const block = client.block(lines);
    const step = Math.ceil(block.length / (count + 1));
    const frames = [frame(FrameType.headers, 1, id, block.subarray(0, step))];
    for (let at = 1; at <= count; at++) {
      const flags = isClosed && at === count ? Flag.endHeaders : 0;
      const piece = block.subarray(at * step, (at + 1) * step);
      frames.push(frame(FrameType.continuation, flags, onOther ? id + 2 : id, piece));
    }
    return Buffer.concat(frames);
  });

/** The step, after a request whose content is to come if there is none. */
const onOpen = (step: fc.Arbitrary<Step>): fc.Arbitrary<Step> =>
  fc
    .tuple(step, fc.constantFrom('/seen', '/seen', '/hold', '/early'))
    .map(([make, path]): Step => (client) => {
      if (client.open(0) !== undefined) return make(client);
      const id = client.begin(false, false);
      const block = client.block(target('POST', path));
      return Buffer.concat([section(id, block, false, PLAIN, []), make(client)]);
    });

/** The first step of a client. */
export const requests = request(validLines);
/** What a client may do next, valid or not. */
export const anyStep: fc.Arbitrary<Step> = fc.oneof(
  { weight: 30, arbitrary: requests },
  { weight: 14, arbitrary: onOpen(data(openOne)) },
  { weight: 1, arbitrary: onOpen(muchData) },
  { weight: 5, arbitrary: onOpen(trailers(openOne)) },
  { weight: 10, arbitrary: request(changedLines) },
  { weight: 3, arbitrary: data(chosen) },
  { weight: 2, arbitrary: trailers(chosen) },
  { weight: 4, arbitrary: resets },
  { weight: 3, arbitrary: control(FrameType.windowUpdate, increments, chosen) },
  { weight: 2, arbitrary: control(FrameType.windowUpdate, increments, 'connection') },
  { weight: 5, arbitrary: control(FrameType.settings, settings, 'connection', [0, 0, 0, 0, 1]) },
  {
    weight: 3,
    arbitrary: control(FrameType.ping, fc.constant(Buffer.alloc(8)), 'connection', [0, 0, 0, 1, 2]),
  },
  {
    weight: 3,
    arbitrary: control(
      FrameType.priority,
      dependency.map(({ before }) => before),
      chosen,
    ),
  },
  {
    weight: 1,
    arbitrary: control(
      FrameType.goaway,
      codes.map((code) => uint32(0, code)),
      'connection',
    ),
  },
  { weight: 3, arbitrary: control(0xbb, lengths, chosen, [0, 1, 4, 255]) },
  { weight: 1, arbitrary: control(FrameType.priorityUpdate, lengths, 'connection') },
  {
    weight: 2,
    arbitrary: fc
      .constantFrom(2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 16)
      .chain((type) => control(type, lengths, chosen, [0, 0, 1, 4])),
  },
  { weight: 1, arbitrary: control(FrameType.data, fc.constant(Buffer.alloc(16_385)), chosen) },
  { weight: 2, arbitrary: rawBlock },
  { weight: 1, arbitrary: openBlock },
);
