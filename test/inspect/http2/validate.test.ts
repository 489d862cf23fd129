import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { DecodedField } from '../../../src/wire/field-compression/field-section.ts';
import type { SectionVerdict } from '../../../src/wire/http2/request-validator.ts';
import { until } from '../../_adapters.ts';
import * as h2 from '../../_frames.ts';
import { InspectedServer, type Inspected } from './_inspected.ts';
import { everyNth, rounds } from '../../_whole.ts';

// Held against nghttp2 of the Node that runs: each field arrives, or is dropped, or the request is
// refused, as the validator expects.

type Line = readonly [name: string, value: string];

const GET: readonly Line[] = [
  [':method', 'GET'],
  [':scheme', 'http'],
  [':authority', 'x'],
  [':path', '/'],
];
/** No more closed streams are kept; and nghttp2 ends a connection with too many refused requests. */
const PER_CONNECTION = 64;

let server: InspectedServer;
beforeAll(async () => {
  server = await InspectedServer.start({
    maxHeaderListPairs: 12,
    settings: { maxHeaderListSize: 2000 },
  });
});
afterAll(() => server.close());

interface Request {
  readonly lines: readonly Line[];
  readonly data?: readonly number[];
  readonly trailers?: readonly Line[];
}

const ends = (isLast: boolean): number => (isLast ? h2.END_STREAM : 0);

/** HEADERS, DATA and trailers of a request that ends its stream with the last of them. */
function framesOf(id: number, { lines, data = [], trailers }: Request): Buffer[] {
  const isBare = data.length === 0 && !trailers;
  return [
    h2.frame(h2.HEADERS, h2.END_HEADERS | ends(isBare), id, h2.fieldBlock(lines)),
    ...data.map((length, at) =>
      h2.frame(h2.DATA, ends(!trailers && at === data.length - 1), id, Buffer.alloc(length)),
    ),
    ...(trailers
      ? [h2.frame(h2.HEADERS, h2.END_HEADERS | h2.END_STREAM, id, h2.fieldBlock(trailers))]
      : []),
  ];
}

interface Outcome {
  readonly lines: readonly string[] | undefined;
  readonly trailers: readonly string[] | undefined;
  readonly refused: boolean;
}

const pairs = (fields: readonly DecodedField[], verdict: SectionVerdict): string[] =>
  fields.flatMap(({ name, value }, at) => (verdict.faults[at] ? [] : [name, value]));

/** What our reader finds of a stream. */
function ourOutcome({ reader }: Inspected, id: number): Outcome {
  const stream = reader.stream(id);
  const arrived = (stream?.frames ?? []).flatMap(({ frame, verdict }) => {
    if (frame.payload.kind !== 'headers' || !verdict) return [];
    const fields = frame.ended?.block.fields ?? [];
    return [verdict.refusalReasons.length > 0 ? undefined : pairs(fields, verdict)];
  });
  return {
    lines: arrived[0],
    trailers: arrived[1],
    refused: (stream?.refusalReasons.length ?? 0) > 0,
  };
}

/** What Node made of it. */
function nodeOutcome({ client, delivered }: Inspected, id: number): Outcome {
  const seen = delivered.get(id);
  return {
    lines: seen?.lines,
    trailers: seen?.trailers,
    refused: client.reset(id) !== undefined || client.goaway() !== undefined,
  };
}

interface Comparison {
  /** How many were refused. */
  readonly refused: number;
  readonly differences: readonly unknown[];
  /** The section of the RFC for each refusal, by our reader. */
  readonly reasons: readonly (string | undefined)[];
}

/** Sends requests together. */
async function compare(requests: readonly Request[]): Promise<Comparison> {
  const inspected = await server.connect({
    maxFields: 12,
    maxKept: () => 10_000_000,
  });
  const { client, reader } = inspected;
  // The limit of the header section holds once the client acknowledges it (RFC 9113 6.5.3).
  await until(() => client.got(h2.SETTINGS).length === 2);
  client.send(h2.frame(h2.SETTINGS, 1, 0));
  const ids = requests.map((_request, at) => 2 * at + 1);
  const isDone = (id: number): boolean => client.isDone(id) || client.reset(id) !== undefined;
  for (const [at, id] of ids.entries()) client.send(...framesOf(id, requests[at] ?? { lines: [] }));
  await until(() => client.goaway() !== undefined || ids.every(isDone));
  const both = ids.map((id) => ({
    ours: ourOutcome(inspected, id),
    node: nodeOutcome(inspected, id),
  }));
  const differences = both.flatMap(({ ours, node }, at) =>
    JSON.stringify(ours) === JSON.stringify(node)
      ? []
      : [
          {
            request: requests[at],
            ours,
            node,
            refusals: reader.stream(2 * at + 1)?.refusalReasons,
          },
        ],
  );
  client.socket.destroy();
  return {
    refused: both.filter(({ node }) => node.refused).length,
    differences,
    reasons: ids.map((id) => reader.stream(id)?.refusalReasons[0]?.section),
  };
}

async function compareAll(requests: readonly Request[]): Promise<number> {
  let refused = 0;
  for (let at = 0; at < requests.length; at += PER_CONNECTION) {
    const result = await compare(requests.slice(at, at + PER_CONNECTION));
    expect(result.differences.slice(0, 3)).toEqual([]);
    refused += result.refused;
  }
  return refused;
}

const bytes = Array.from({ length: 256 }, (_, byte) => String.fromCharCode(byte));
const withLine = (...lines: Line[]): Request => ({ lines: [...GET, ...lines] });
const replacing = (name: string, value: string): Request => ({
  lines: GET.map((line) => (line[0] === name ? [name, value] : line)),
});

describe('every byte', () => {
  test.each<[string, (byte: string) => Request]>([
    ['at the start of a value', (byte) => withLine(['a', `${byte}c`])],
    ['at the end of a value', (byte) => withLine(['a', `a${byte}`])],
    ['in a value', (byte) => withLine(['a', `a${byte}c`])],
    ['at the start of a name', (byte) => withLine([`${byte}b`, 'v'])],
    ['in a name', (byte) => withLine([`a${byte}c`, 'v'])],
    ['in :path', (byte) => replacing(':path', `/${byte}`)],
    ['in :method', (byte) => replacing(':method', `A${byte}`)],
    ['at the start of :scheme', (byte) => replacing(':scheme', `${byte}b`)],
    ['in :scheme', (byte) => replacing(':scheme', `a${byte}`)],
    ['in :authority', (byte) => replacing(':authority', `a${byte}`)],
    ['in host', (byte) => withLine(['host', `a${byte}`])],
    ['in priority', (byte) => withLine(['priority', `a${byte}`])],
    ['in te', (byte) => withLine(['te', `trailers${byte}`])],
    ['in content-length', (byte) => withLine(['content-length', `0${byte}`])],
    ['in connection', (byte) => withLine(['connection', `a${byte}`])],
  ])('%s', async (_, requestWith) => {
    await compareAll(everyNth(3, bytes).map(requestWith));
  });
});

/** Positions of the pseudo-header fields. */
const ALL = [0, 1, 2, 3];
const times = (count: number): Line[] => Array.from({ length: count }, () => ['a', 'b']);

const names = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom('a', 'b-c', 'cookie', 'accept', 'x') },
  fc.constantFrom('', ':', ':x', ':status', ':protocol', 'A', 'a B', 'aB ', '\0a', 'a\0B', 'é'),
  fc.constantFrom('host', 'te', 'content-length', 'connection', 'upgrade', 'transfer-encoding'),
  fc.constantFrom('keep-alive', 'proxy-connection', 'priority', ':method', ':path', ':authority'),
);
const values = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom('v', '', 'trailers', 'x', '/', '0', 'u=1') },
  fc.constantFrom(' v', 'v ', '\tv', 'a\r\nb', 'a\0', 'a\x7f', 'a\tb', 'é', 'Trailers', 'x@y'),
  fc.constantFrom('5', '00', '-1', '9223372036854775807', '9223372036854775808', 'a/b', '*'),
);
const lines: fc.Arbitrary<Line> = fc.tuple(names, values);
/** Mostly the first, so that not every request is refused. */
const rarely = (usual: string, ...others: string[]): fc.Arbitrary<string> =>
  fc.oneof({ weight: 9, arbitrary: fc.constant(usual) }, fc.constantFrom(usual, ...others));
const sections: fc.Arbitrary<readonly Line[]> = fc
  .tuple(
    rarely('GET', 'POST', 'OPTIONS', 'CONNECT', 'HEAD', 'G T', ''),
    rarely('http', 'https', 'HTTP', 'ftp', '1', ''),
    rarely('x', 'x:8', '[::1]', 'u@x', 'a b', ''),
    rarely('/', '/a?b', '*', 'a', '/a b', '/é', '', 'http://x/'),
    fc.oneof({ weight: 5, arbitrary: fc.constant(ALL) }, fc.subarray(ALL)),
    fc.nat(60),
    fc.array(lines, { maxLength: 2 }),
  )
  .map(([method, scheme, authority, path, present, position, more]) => {
    const pseudo: Line[] = [
      [':method', method],
      [':scheme', scheme],
      [':authority', authority],
      [':path', path],
    ];
    const section = pseudo.filter((_line, at) => present.includes(at));
    // Now and then a field comes before a pseudo-header field.
    const at = position < 4 ? position : section.length;
    return section.toSpliced(at, 0, ...more);
  });

test('field sections of all kinds', async () => {
  const requests = fc.sample(sections, rounds(2000)).map((section) => ({ lines: section }));
  const refused = (await compareAll(requests)) / requests.length;
  expect(refused).toBeGreaterThan(0.15);
  expect(refused).toBeLessThan(0.85);
});

test('trailer sections of all kinds', async () => {
  const trailers = fc.sample(fc.array(lines, { minLength: 1, maxLength: 3 }), rounds(400));
  const lengths: readonly Line[] = [['content-length', '3']];
  const requests = trailers.map((section, at) => ({
    lines: [...GET, ...(at % 2 === 0 ? lengths : [])],
    data: [3],
    trailers: section,
  }));
  expect(await compareAll(requests)).toBeGreaterThan(requests.length / 8);
});

test.each<[string, Request, string | undefined]>([
  ['too little content', { ...withLine(['content-length', '5']), data: [2, 2] }, 'RFC 9113 8.1.1'],
  ['too much content', { ...withLine(['content-length', '5']), data: [3, 3] }, 'RFC 9113 8.1.1'],
  ['content of its length', { ...withLine(['content-length', '5']), data: [3, 2] }, undefined],
  ['no content', withLine(['content-length', '5']), 'RFC 9113 8.1.1'],
  ['twelve fields', withLine(...times(8)), undefined],
  ['thirteen fields', withLine(...times(9)), 'RFC 9113 10.5.1'],
  ['twelve fields, and dropped ones', withLine(...times(8), ['a', '\0'], ['b', ' ']), undefined],
  ['a section of 2000 bytes', withLine(['a', 'v'.repeat(1801)]), undefined],
  ['a section of 2001 bytes', withLine(['a', 'v'.repeat(1802)]), 'RFC 9113 10.5.1'],
])('%s', async (_, request, section) => {
  const { differences, reasons } = await compare([request]);
  expect(differences).toEqual([]);
  expect(reasons).toEqual([section]);
});
