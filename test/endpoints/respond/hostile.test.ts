import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { responseParameters } from '../../../src/endpoints/respond/parameters.ts';
import { MAX_REQUESTED_CONTENT } from '../../../src/server/payload.ts';
import { sharedPlace } from '../../_everywhere.ts';
import { exchange, GET, LAST, POST } from '../../_raw.ts';

const RUNS = 1000;
const { running } = sharedPlace('http/1.1', '--max-duration', '1');

/** Values that each parameter takes. */
const taken: Readonly<Record<string, readonly string[]>> = {
  status: ['204', '304', '503', '200:50,503:50', '599'],
  header: ['X-A: b', 'X-A:', 'Date: x', 'Content-Type: text/html', 'Set-Cookie: a=b', 'X-A: é€'],
  type: ['text/html', 'a/b;c=d', 'image/svg+xml'],
  body: ['<script>alert(1)</script>', 'é', '\r\n\r\nHTTP/1.1 200 OK'],
  base64: ['bm8=', '/w=='],
  content: ['echo', 'alphabet:10k', 'random:100', 'lines:3', 'random:1m'],
  delay: ['10ms', '10ms:50,5ms:50', '0'],
  body_delay: ['10ms', '0.01'],
  rate: ['10485760', '100000'],
  duration: ['20ms'],
  chunk: ['1000', '16384'],
  framing: ['length', 'chunked', 'close'],
  encoding: ['gzip', 'br', 'deflate'],
  damage: ['truncated', 'trailing', 'checksum', 'not-coded'],
  trailer: ['X-A: b', 'X-B: c'],
  informational: ['103,102', '100'],
  informational_header: ['Link: </a>'],
  digest: ['sha-256', 'md5'],
  fault: [
    'reset',
    'reset@50%',
    'reset@start',
    'close@1',
    'stall@end,for=0.01',
    'head,how=nul',
    'slow-head,rate=10000',
    'garbage@body',
  ],
  connection: ['close'],
};

const takenPair = fc.oneof(
  ...Object.entries(taken).map(([each, values]) =>
    fc.tuple(fc.constant(each), fc.constantFrom(...values)),
  ),
);
const name = fc.oneof(
  { weight: 12, arbitrary: fc.constantFrom(...Object.keys(responseParameters(1))) },
  { weight: 1, arbitrary: fc.constantFrom('__proto__', 'constructor', 'toString', '', 'first') },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 20 }) },
);

/** Values that some parameter takes, or nearly. */
const value = fc.oneof(
  fc.constantFrom(...Object.values(taken).flat()),
  fc.constantFrom(
    '200',
    '101',
    '99',
    '600',
    '200:1,200:1',
    '200:',
    '0',
    '-1',
    '1',
    '00',
    '1e9',
    'NaN',
  ),
  fc.constantFrom(
    '9007199254740993',
    '10485761',
    '1h',
    '10ms:50,1h:50',
    ':',
    ',',
    ',,',
    '%',
    '%zz',
  ),
  fc.constantFrom(':x', 'a b: c', 'X-A: b\r\nInjected: 1', 'X-A: \0', 'Content-Length: 5'),
  fc.constantFrom('Transfer-Encoding: chunked', 'Connection: close', `X-A: ${'x'.repeat(3000)}`),
  fc.constantFrom('lines:99999999', 'random:1g', 'lines:', 'zstd', '=', 'bm8', '\ud800'),
  fc.constantFrom('reset@150%', 'x@y', 'chunk,how=no-last', 'rst-stream', 'reset,reset', '@'),
  fc.nat().map(String),
  fc.string({ unit: 'binary', maxLength: 40 }),
);

const pair = (of: fc.Arbitrary<unknown>): fc.Arbitrary<readonly [string, unknown]> =>
  fc.oneof({ weight: 5, arbitrary: takenPair }, { weight: 1, arbitrary: fc.tuple(name, of) });

const inQuery = fc
  .uniqueArray(pair(value), { minLength: 1, maxLength: 4, selector: ([each]) => each })
  .map((pairs) => `?${pairs.map((each) => each.map(String).map(encode).join('=')).join('&')}`);

/** Members of any type, some of them nested. */
const member = fc.oneof(
  { weight: 4, arbitrary: value },
  { weight: 1, arbitrary: fc.constantFrom(503, -1, 2 ** 60, true, null, [], {}) },
  { weight: 1, arbitrary: fc.array(value, { maxLength: 3 }) },
  { weight: 1, arbitrary: fc.dictionary(fc.string({ maxLength: 8 }), value, { maxKeys: 3 }) },
  { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 3 }) },
);
const description = fc
  .uniqueArray(pair(member), { minLength: 1, maxLength: 4, selector: ([each]) => each })
  .map((members) => Object.fromEntries(members));
const inContent = fc.oneof(
  description,
  fc.record({ first: fc.array(description, { maxLength: 3 }), then: description }),
  fc.jsonValue(),
);

const request = fc.oneof(
  inQuery.map((query) => GET(`/respond${query}`, LAST)),
  inContent.map((json) => POST('/respond', LAST, JSON.stringify(json))),
  fc
    .tuple(fc.constantFrom('first', 'then'), inQuery)
    .map(([when, query]) => GET(`/respond/k?${when}=${encode(query.slice(1))}`, LAST)),
  inContent.map((json) => POST('/respond/k', LAST, JSON.stringify(json))),
  // Content that is cut, or no JSON.
  fc
    .tuple(inContent, fc.nat({ max: 30 }))
    .map(([json, end]) => POST('/respond', LAST, JSON.stringify(json).slice(0, end))),
);

/** Percent-encodes what is no character of a query; a lone surrogate becomes its three bytes. */
function encode(text: string): string {
  return Buffer.from(text)
    .toString('latin1')
    .replace(/[^\w.~:,/@-]/g, escaped);
}

function escaped(character: string): string {
  return `%${character.charCodeAt(0).toString(16).padStart(2, '0')}`;
}

test('a thousand hostile descriptions are 400, or a response that is bounded', async () => {
  const statuses = new Map<string, number>();
  const respond = async (bytes: string): Promise<void> => {
    const received = await exchange(running().port, bytes).catch(() => 'reset');
    expect(received).not.toContain('/problems/internal-error');
    expect(received).not.toMatch(/\r\nInjected:/);
    expect(received.length).toBeLessThan(2 * MAX_REQUESTED_CONTENT);
    const [, status = 'none'] = /^HTTP\/1\.1 (\d{3}) /.exec(received) ?? [];
    statuses.set(status, (statuses.get(status) ?? 0) + 1);
  };
  await fc.assert(fc.asyncProperty(request, respond), { numRuns: RUNS, seed: 30 });
  // Not all are refused, nor alike.
  expect(statuses.get('400')).toBeLessThan(0.9 * RUNS);
  expect(statuses.size).toBeGreaterThan(4);
  expect(await exchange(running().port, GET('/healthz', LAST))).toMatch(/^HTTP\/1\.1 200 /);
});
