import * as fc from 'fast-check';
import { FAULT_NAMES } from '../../src/server/fault.ts';
import * as h2 from '../_frames.ts';

/** Frames of one write; the identifiers of streams follow from the writes before. */
type Frames = (streams: StreamNumbers) => Buffer;

/** How a client leaves. */
export const LEAVES = ['FIN', 'RST', 'close', 'GOAWAY', 'half a frame'] as const;

/** What one client does. */
export interface FrameInput {
  readonly isSecure: boolean;
  /** Whether it reads. */
  readonly reads: boolean;
  readonly writes: readonly { readonly bytes: Buffer; readonly pause: number }[];
  readonly leave: (typeof LEAVES)[number];
}

class StreamNumbers {
  #next = 1;

  new(skip: boolean): number {
    const id = this.#next;
    this.#next += skip ? 4 : 2;
    return id;
  }

  /** @param at of those so far, from 0 to below 1 */
  old(at: number): number {
    return 1 + 2 * Math.floor((at * this.#next) / 2);
  }
}

const PATHS = [
  ...'/status/204 /healthz /get /anything /bytes/10 /bytes/100000 /stream/3 /early?then=close'.split(
    ' ',
  ),
  ...'/early /early?then=stop /delay/0.01 /status/500 /nope /drip?duration=0.1&numbytes=5'.split(
    ' ',
  ),
  ...'/sse?count=2&delay=0.01 /post /response-headers?a=b /trailers /range/65536 /h2/ping'.split(
    ' ',
  ),
  ...FAULT_NAMES.flatMap((id) => [
    `/fault/${id}?for=0.05`,
    `/fault/${id}?at=start&for=0.05`,
    `/fault/${id}?then=finish&last=zero`,
  ]),
];
const CODES = [0, 1, 2, 5, 7, 8, 11, 13];

const at = fc.double({ min: 0, max: 0.999, noNaN: true });
const rarely = fc.integer({ min: 0, max: 19 }).map((number) => number === 0);
const content = (maxLength: number): fc.Arbitrary<Buffer> =>
  fc.nat(maxLength).map((length) => Buffer.alloc(length));
const codes = fc.constantFrom(...CODES).map(h2.uint32);

const more = fc.constantFrom<[string, string][]>(
  ...Array.from({ length: 8 }, () => []),
  [['expect', '100-continue']],
  [['content-length', '5']],
  [['Bad', 'y']],
  Array.from({ length: 300 }, (_, index) => [`x${index}`, 'y']),
);

const request = fc
  .record({
    path: fc.constantFrom(...PATHS),
    more,
    ends: fc.boolean(),
    skip: rarely,
    content: fc.option(content(200)),
    code: fc.option(codes, { freq: 6 }),
  })
  .map(({ path, more: fields, ends, skip, content: bytes, code }): Frames => (streams) => {
    const id = streams.new(skip);
    const make = ends ? h2.get : h2.post;
    const frames = [make(id, path, ...fields)];
    if (!ends && bytes) frames.push(h2.frame(h2.DATA, bytes.length % 2, id, bytes));
    if (code) frames.push(h2.frame(h2.RST_STREAM, 0, id, code));
    return Buffer.concat(frames);
  });

/** A long response to a request whose trailers end later, if at all. */
const incompleteTrailers = fc.constantFrom(0, 1).map((flag): Frames => (streams) => {
  const id = streams.new(false);
  const trailers = h2.frame(h2.HEADERS, flag, id, h2.fieldBlock([['trailer', 'v']]));
  return Buffer.concat([h2.post(id, '/range/10000000'), trailers]);
});

/** A frame of this type on the connection, or on a stream so far. */
function framesOf(
  type: number,
  payload: fc.Arbitrary<Buffer>,
  { flags = [0], onStream = true }: { flags?: readonly number[]; onStream?: boolean } = {},
): fc.Arbitrary<Frames> {
  return fc.tuple(payload, fc.constantFrom(...flags), at).map(
    ([bytes, flag, place]): Frames =>
      (streams) =>
        h2.frame(type, flag, onStream ? streams.old(place) : 0, bytes),
  );
}

const windows = fc.oneof(fc.constantFrom(0, 1, 2 ** 31 - 1), fc.nat(70_000)).map(h2.uint32);
const settings = fc.oneof(
  fc.constant(Buffer.alloc(0)),
  fc.nat(200).map((window) => Buffer.from([0, 4, 0, 0, 0, window])),
);
const goaways = codes.map((code) => Buffer.concat([h2.uint32(0), code]));
const blocks = fc.constantFrom(
  h2.get(1, '/healthz').subarray(9),
  Buffer.from([0x82]),
  Buffer.from([0x80, 0xff]),
  h2.fieldBlock([['trailer', 'v']]),
);

const anyFrame = fc.oneof(
  { weight: 45, arbitrary: request },
  { weight: 3, arbitrary: incompleteTrailers },
  { weight: 12, arbitrary: framesOf(h2.RST_STREAM, codes) },
  { weight: 10, arbitrary: framesOf(h2.DATA, content(3000), { flags: [0, 1] }) },
  {
    weight: 6,
    arbitrary: framesOf(h2.PING, fc.constant(Buffer.alloc(8)), { flags: [0, 1], onStream: false }),
  },
  { weight: 3, arbitrary: framesOf(h2.WINDOW_UPDATE, windows) },
  { weight: 3, arbitrary: framesOf(h2.WINDOW_UPDATE, windows, { onStream: false }) },
  { weight: 5, arbitrary: framesOf(h2.SETTINGS, settings, { flags: [0, 0, 1], onStream: false }) },
  { weight: 5, arbitrary: framesOf(h2.GOAWAY, goaways, { onStream: false }) },
  // PRIORITY has five bytes (RFC 9113 6.3).
  {
    weight: 4,
    arbitrary: framesOf(
      h2.PRIORITY,
      fc.constantFrom(5, 5, 6).map((length) => Buffer.alloc(length)),
    ),
  },
  { weight: 4, arbitrary: framesOf(h2.HEADERS, blocks, { flags: [4, 5, 0] }) },
  { weight: 2, arbitrary: framesOf(h2.CONTINUATION, blocks, { flags: [4] }) },
  { weight: 2, arbitrary: framesOf(5, content(20)) },
  { weight: 2, arbitrary: framesOf(0xfa, content(20)) },
);

/** Allows for responses that are longer than what a socket buffers, so that writes of them wait. */
const WIDE = Buffer.concat([
  h2.PREFACE,
  // SETTINGS_INITIAL_WINDOW_SIZE
  h2.frame(h2.SETTINGS, 0, 0, Buffer.from('00047fffffff', 'hex')),
  h2.frame(h2.WINDOW_UPDATE, 0, 0, h2.uint32(2 ** 30)),
]);
const pauses = fc.constantFrom(0, 0, 1, 5, 20, 40);

/** Clients that send frames in any order, and leave in every way. */
export const frameInput: fc.Arbitrary<FrameInput> = fc
  .record({
    isSecure: fc.constantFrom(false, false, false, true),
    reads: fc.constantFrom(true, true, false),
    bursts: fc.array(fc.tuple(fc.array(anyFrame, { minLength: 1, maxLength: 14 }), pauses), {
      minLength: 1,
      maxLength: 5,
    }),
    // The first bytes are read in JavaScript: what comes with them is handed on to nghttp2.
    opening: fc.constantFrom(h2.OPENING, h2.OPENING, WIDE),
    afterOpening: pauses,
    leave: fc.constantFrom(...LEAVES),
  })
  .map(({ isSecure, reads, leave, bursts, opening, afterOpening }) => {
    const streams = new StreamNumbers();
    const writes = bursts.map(([burst, pause]) => {
      return { bytes: Buffer.concat(burst.map((make) => make(streams))), pause };
    });
    const first = { bytes: opening, pause: afterOpening };
    return { isSecure, reads, leave, writes: [first, ...writes] };
  });
