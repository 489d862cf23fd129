import { describe, expect, test } from 'vitest';
import { HTTP3, HTTP3_RULES } from '../../../src/wire/http2/message-rules.ts';
import { SectionReader } from '../../../src/wire/http2/message-section.ts';
import { RequestValidator } from '../../../src/wire/http2/request-validator.ts';
import { QpackDecoder } from '../../../src/wire/qpack/decoder.ts';
import { QpackEncoder } from '../../../src/wire/qpack/encoder.ts';

type Line = readonly [name: string, value: string];

const GET: readonly Line[] = [
  [':method', 'GET'],
  [':scheme', 'https'],
  [':authority', 'a.example'],
  [':path', '/'],
];
const CONNECT: readonly Line[] = [
  [':method', 'CONNECT'],
  [':authority', 'a.example:443'],
];

function sectionOf(lines: readonly Line[]) {
  const decoder = new QpackDecoder({
    maxTableCapacity: 0,
    maxBlockedStreams: 0,
    maxListSize: 10_000,
  });
  const section = decoder.decode(0, new QpackEncoder().encode(lines.flat()));
  if (!section) throw new Error('blocked');
  return section;
}

function validatorOf(options: Partial<ConstructorParameters<typeof RequestValidator>[0]> = {}) {
  const limits = { connectProtocol: true, maxFields: 10, maxListSize: 1000 };
  return new RequestValidator({ rules: HTTP3_RULES, ...limits, ...options });
}

const refusalsOf = (lines: readonly Line[]) =>
  validatorOf().section(sectionOf(lines), false, false).refusalReasons;

test('requests that follow the rules are accepted', () => {
  for (const lines of [
    GET,
    CONNECT,
    [...GET, ['te', 'trailers'], ['cookie', 'a=b'], ['cookie', 'c=d']],
    [...GET, ['host', 'a.example']],
    [...GET.filter(([name]) => name !== ':authority'), ['host', 'a.example']],
    [
      ...CONNECT,
      [':protocol', 'websocket'],
      ...GET.filter(([name]) => name === ':scheme'),
      [':path', '/'],
    ],
  ] as Line[][]) {
    expect(refusalsOf(lines)).toEqual([]);
  }
});

test.each([
  ['upper case in a name', [...GET, ['X-A', 'b']], 'RFC 9114 4.2'],
  ['a space in a name', [...GET, ['x a', 'b']], 'RFC 9114 10.3'],
  ['an empty name', [...GET, ['', 'b']], 'RFC 9114 10.3'],
  ['LF in a value', [...GET, ['x-a', 'b\n']], 'RFC 9114 10.3'],
  ['NUL in a value', [...GET, ['x-a', '\0']], 'RFC 9114 10.3'],
  ['Connection', [...GET, ['connection', 'close']], 'RFC 9114 4.2'],
  ['Transfer-Encoding', [...GET, ['transfer-encoding', 'chunked']], 'RFC 9114 4.2'],
  ['TE with more than trailers', [...GET, ['te', 'trailers, gzip']], 'RFC 9114 4.2'],
  ['a pseudo-header field of responses', [...GET, [':status', '200']], 'RFC 9114 4.3'],
  ['one that does not exist', [[':a', 'b'], ...GET], 'RFC 9114 4.3'],
  ['one that is repeated', [[':method', 'GET'], ...GET], 'RFC 9114 4.3'],
  ['one after a field', [['x-a', 'b'], ...GET], 'RFC 9114 4.3'],
  ['no :method', GET.slice(1), 'RFC 9114 4.3.1'],
  ['an empty :path', [...GET.slice(0, 3), [':path', '']], 'RFC 9114 4.3.1'],
  [
    'user information',
    [...GET.slice(0, 2), [':authority', 'a@b'], [':path', '/']],
    'RFC 9114 4.3.1',
  ],
  ['neither :authority nor Host', GET.filter(([name]) => name !== ':authority'), 'RFC 9114 4.3.1'],
  ['another Host', [...GET, ['host', 'b.example']], 'RFC 9114 4.3.1'],
  ['CONNECT with a path', [...CONNECT, [':path', '/']], 'RFC 9114 4.4'],
  ['CONNECT without :authority', CONNECT.slice(0, 1), 'RFC 9114 4.4'],
  [':protocol without CONNECT', [...GET, [':protocol', 'websocket']], 'RFC 9220 3'],
  [
    'Content-Length twice',
    [...GET, ['content-length', '1'], ['content-length', '1']],
    'RFC 9110 8.6',
  ],
] as [string, Line[], string][])('%s is H3_MESSAGE_ERROR', (_, lines, section) => {
  const [first] = refusalsOf(lines);
  expect(first).toMatchObject({ scope: 'stream', code: 'H3_MESSAGE_ERROR', section });
});

test('no field line is dropped, as nghttp2 does on HTTP/2', () => {
  const lines: Line[] = [...GET, ['x-a', ' b'], ['x-b', 'c']];
  const { faults } = validatorOf().section(sectionOf(lines), false, false);
  expect(faults.map((fault) => fault?.outcome)).toEqual([
    ...GET.map(() => undefined),
    'refused',
    undefined,
  ]);
});

test('without SETTINGS_ENABLE_CONNECT_PROTOCOL there is no :protocol (RFC 9220 3)', () => {
  const section = sectionOf([...CONNECT, [':protocol', 'websocket']]);
  const validator = validatorOf({ connectProtocol: false });
  expect(validator.section(section, false, false).refusalReasons[0]?.section).toBe('RFC 9114 4.3');
});

test('content has the announced length (RFC 9114 4.1.2)', () => {
  const validator = validatorOf();
  validator.section(sectionOf([...GET, ['content-length', '5']]), false, false);
  expect(validator.data(4, false)).toBe(undefined);
  const mismatch = { code: 'H3_MESSAGE_ERROR', section: 'RFC 9114 4.1.2' };
  expect(validator.data(0, true)).toMatchObject(mismatch);
  expect(validator.data(2, false)).toMatchObject(mismatch);
});

test('trailers have no pseudo-header fields (RFC 9114 4.3)', () => {
  const validator = validatorOf();
  validator.section(sectionOf(GET), false, false);
  const { refusalReasons } = validator.section(sectionOf([[':path', '/']]), true, true);
  expect(refusalReasons[0]?.section).toBe('RFC 9114 4.1');
});

test('a section above the limits is H3_EXCESSIVE_LOAD (RFC 9114 4.2.2)', () => {
  const many = Array.from({ length: 10 }, (): Line => ['a', '']);
  for (const lines of [many, [['a', 'b'.repeat(1000)] as const]]) {
    expect(refusalsOf([...GET, ...lines])[0]).toMatchObject({
      code: 'H3_EXCESSIVE_LOAD',
      section: 'RFC 9114 4.2.2',
    });
  }
});

describe('sections of a response', () => {
  const kindOf = (lines: readonly Line[], isTrailers = false) =>
    new SectionReader('server', HTTP3).kindOf(sectionOf(lines), isTrailers, isTrailers);

  test('are told by the status (RFC 9114 4.1)', () => {
    expect(kindOf([[':status', '103']])).toBe('interim');
    expect(kindOf([[':status', '200']])).toBe('head');
    expect(kindOf([['x-a', 'b']], true)).toBe('trailers');
  });

  test.each([
    ['no status', [['x-a', 'b']], false, 'RFC 9114 4.3.2'],
    ['the status 101', [[':status', '101']], false, 'RFC 9114 4.3.2'],
    [
      'a status twice',
      [
        [':status', '200'],
        [':status', '200'],
      ],
      false,
      'RFC 9114 4.3.2',
    ],
    ['a status in trailers', [[':status', '200']], true, 'RFC 9114 4.1'],
  ] as [string, Line[], boolean, string][])('%s is malformed', (_, lines, isTrailers, section) => {
    expect(kindOf(lines, isTrailers)).toMatchObject({ code: 'H3_MESSAGE_ERROR', section });
  });
});
