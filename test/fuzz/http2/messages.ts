import * as fc from 'fast-check';

// Field sections of requests, valid and malformed (RFC 9113 8.1 to 8.3). Text is latin1.

export type Lines = readonly (readonly [name: string, value: string])[];

const PATHS = [
  ...'/seen /seen /seen?a=b /seen/%2e /seen/é /healthz /hold /zeros/10 /zeros/0 /nope'.split(' '),
  ...'/zeros/40000 /early /early?then=stop /early?then=close /early?after=5&then=stop'.split(' '),
];
const METHODS = 'GET GET GET POST POST POST PUT HEAD OPTIONS DELETE BREW'.split(' ');

const extras: fc.Arbitrary<Lines> = fc.oneof(
  { weight: 6, arbitrary: fc.constant([]) },
  fc.constantFrom<Lines>(
    [['x-a', 'b']],
    [
      ['cookie', 'a=b'],
      ['cookie', 'c=d'],
    ],
    [['te', 'trailers']],
    [['te', 'Trailers']],
    [['x-empty', '']],
    [['host', 'x']],
    [['host', 'y']],
    [['expect', '100-continue']],
    [['expect', 'nothing']],
    [['x-high', '\x80\xff']],
    [['x-tab', 'a\tb']],
    [['priority', 'u=0, i']],
    [['content-type', 'a/b']],
    [['x-long', 'v'.repeat(5000)]],
    [['authorization', 'secret']],
    [['upgrade-insecure-requests', '1']],
    Array.from({ length: 60 }, (_, at) => [`x-${at}`, 'v'] as const),
  ),
);

/** The pseudo-header fields of a request. */
export const target = (method: string, path: string): Lines => [
  [':method', method],
  [':scheme', 'http'],
  [':authority', 'x'],
  [':path', path],
];

/** The field section of a valid request. */
export const validLines: fc.Arbitrary<Lines> = fc
  .tuple(fc.constantFrom(...METHODS), fc.constantFrom(...PATHS), extras)
  .map(([method, path, more]) => target(method, path).concat(more));

type Change = (lines: Lines) => Lines;

const adds =
  (...more: Lines): Change =>
  (lines) => [...lines, ...more];
const begins =
  (...more: Lines): Change =>
  (lines) => [...more, ...lines];
const without =
  (name: string): Change =>
  (lines) =>
    lines.filter(([each]) => each !== name);
const sets =
  (name: string, value: string): Change =>
  (lines) =>
    lines.map((line) => (line[0] === name ? ([name, value] as const) : line));
const instead =
  (...lines: Lines): Change =>
  () =>
    lines;

const PSEUDO = [':method', ':scheme', ':authority', ':path'];
const BAD_VALUES = ['a\0b', 'a\rb', 'a\nb', ' a', 'a ', '\ta', 'a\x7f', 'a\x01'];
const CONNECT: Lines = [
  [':method', 'CONNECT'],
  [':authority', 'x:80'],
];
const EXTENDED: Lines = [
  [':method', 'CONNECT'],
  [':protocol', 'websocket'],
  [':scheme', 'http'],
  [':authority', 'x'],
  [':path', '/seen'],
];

const CHANGES: readonly Change[] = [
  ...PSEUDO.map(without),
  ...PSEUDO.map((name) => sets(name, '')),
  ...PSEUDO.map((name) => adds([name, 'x'])),
  ...PSEUDO.map((name) => begins([name, name === ':path' ? '/seen' : 'x'])),
  ...PSEUDO.map((name) => sets(name, 'a b')),
  ...PSEUDO.map((name) => sets(name, 'a\0')),
  ...PSEUDO.map((name) => sets(name, '\xe9')),
  begins([':status', '200']),
  begins([':nothing', 'x']),
  begins([':', 'x']),
  begins(['x-a', 'b']),
  (lines) => without(':authority')([...lines, ['host', 'x']]),
  (lines) => without(':authority')([...lines, ['host', '']]),
  adds(['host', '']),
  adds(['host', 'x'], ['host', 'x']),
  adds(['host', 'a b']),
  adds(['host', 'u@x']),
  sets(':authority', 'u@x'),
  sets(':authority', 'x:y'),
  sets(':authority', '[::1]:80'),
  sets(':authority', 'x/y'),
  sets(':path', 'seen'),
  sets(':path', '*'),
  sets(':path', '/seen#a'),
  sets(':path', 'http://x/seen'),
  sets(':path', '/seen\x7f'),
  sets(':scheme', 'ftp'),
  sets(':scheme', 'HTTPS'),
  sets(':scheme', '1a'),
  sets(':method', 'get'),
  sets(':method', 'OPTIONS'),
  (lines) => sets(':method', 'OPTIONS')(sets(':path', '*')(lines)),
  adds(['X-Upper', 'b']),
  adds(['x-uppeR', 'b']),
  adds(['', 'b']),
  adds(['x a', 'b']),
  adds(['x\0', 'b']),
  adds(['x A', 'b']),
  adds(['x:a', 'b']),
  adds(['x\xe9', 'b']),
  adds(['x(', 'b']),
  ...BAD_VALUES.map((value) => adds(['x-a', value])),
  ...BAD_VALUES.map((value) => adds(['content-type', value])),
  adds(['connection', 'close']),
  adds(['connection', '']),
  adds(['keep-alive', '1']),
  adds(['proxy-connection', 'a']),
  adds(['transfer-encoding', 'chunked']),
  adds(['upgrade', 'h2c']),
  adds(['upgrade', ' h2c']),
  adds(['te', 'gzip']),
  adds(['te', 'trailers, gzip']),
  adds(['te', '']),
  adds(['te', ' trailers']),
  adds(['content-length', '0']),
  adds(['content-length', '5']),
  adds(['content-length', '05']),
  adds(['content-length', '+5']),
  adds(['content-length', '-5']),
  adds(['content-length', '5, 5']),
  adds(['content-length', '']),
  adds(['content-length', ' 5']),
  adds(['content-length', '99999999999999999999']),
  adds(['content-length', '9223372036854775807']),
  adds(['content-length', '5'], ['content-length', '5']),
  adds(['content-length', '5'], ['content-length', '6']),
  adds(...Array.from({ length: 300 }, (_, at) => [`x-${at}`, 'v'] as const)),
  adds(['x-long', 'v'.repeat(20_000)]),
  instead(),
  instead(['x-a', 'b']),
  instead(...CONNECT),
  instead(...CONNECT, [':scheme', 'http']),
  instead(...CONNECT, [':path', '/seen']),
  instead([':method', 'CONNECT']),
  instead([':method', 'CONNECT'], ['host', 'x:80']),
  instead(...CONNECT, ['content-length', '5']),
  instead(...EXTENDED),
  instead(...EXTENDED.filter(([name]) => name !== ':authority')),
  instead(...EXTENDED.filter(([name]) => name !== ':path')),
  (lines) => [[':protocol', 'websocket'], ...lines],
];

/** Fields sections with one or two things that are not as usual. */
export const changedLines: fc.Arbitrary<Lines> = fc
  .tuple(validLines, fc.array(fc.constantFrom(...CHANGES), { minLength: 1, maxLength: 2 }))
  .map(([lines, changes]) => changes.reduce((list, change) => change(list), lines));

/** Trailer sections, valid and not. */
export const trailerLines: fc.Arbitrary<Lines> = fc.constantFrom<Lines>(
  [['x-trailer', 'v']],
  [['x-trailer', 'v']],
  [['x-trailer', 'v']],
  [],
  [
    ['x-t', '1'],
    ['x-t', '2'],
  ],
  [['X-T', '1']],
  [['x-t', 'a\0']],
  [['connection', 'close']],
  [['content-length', '5']],
  [['content-length', '7']],
  [['te', 'gzip']],
  [[':method', 'GET']],
  [[':status', '200']],
  [
    ['x-t', '1'],
    [':path', '/'],
  ],
  [['host', 'y']],
  [['', 'y']],
);
