// The largest descriptions of responses, by each way to hand one over, and the content that takes longest to read.

/** A request without its connection. */
export interface Asked {
  readonly target: string;
  /** Default: GET. */
  readonly method?: string;
  readonly fields?: readonly string[];
  readonly content?: Buffer | undefined;
}

/** Bytes: the default of --max-body-size, and the bound of a description as JSON. */
const MOST = 2 * 1024 ** 2;
/** Characters of a target or a field, less what is around a description. */
const LONGEST = 15_000;

const list = (length: number, item: (at: number) => string): string =>
  Array.from({ length }, (_, at) => item(at)).join(',');

const filled = (text: string): Buffer => Buffer.alloc(MOST, text);

/** Values of a member that are within the bounds of JSON, or just beyond. */
const VALUES: readonly string[] = [
  `${'['.repeat(2046)}${']'.repeat(2046)}`,
  '['.repeat(MOST / 2 - 30) + ']'.repeat(MOST / 2 - 30),
  '{"a":'.repeat(1390) + '1' + '}'.repeat(1390),
  `[${list(74_990, () => '{}')}]`,
  `[${list(149_990, () => '1')}]`,
  `[${list(500_000, () => '1')}]`,
  `{${list(9990, (at) => `"name${at}":1`)}}`,
  `[${list(9990, (at) => `{"name${at}":1}`)}]`,
  // Objects with many shapes, or nearly too many.
  `[${list(74_000, (at) => `{"${(at * 7919) % 9973}":1}`)}]`,
  `[${list(49_000, (at) => `{"a${at % 97}":1,"b${at % 101}":1,"c${at % 103}":1}`)}]`,
  `[${list(49_990, (at) => `{"a":1,"b${at % 98}":1}`)}]`,
  `[${list(30_000, () => '{"4294967294":1}')}]`,
  `[${list(49_900, (at) => `{"name${at % 5 === 0 ? at % 9973 : at % 90}":1}`)}]`,
  `{${list(150_000, (at) => `"name${at}":1`)}}`,
  // Numbers that take longest, or nearly too many of them.
  `[${list(149_000, () => '9e-265')}]`,
  `[${list(19_900, () => '9e-265')}]`,
  `[${list(100_000, () => '-73.98513000000001')}]`,
  `[${list(600, () => `2.${'4703282292062327208'.repeat(40)}`)}]`,
  `"${'<'.repeat(MOST - 60)}"`,
  `"${'\\u0000'.repeat(MOST / 6 - 60)}"`,
  `"${'\u00e9'.repeat(MOST / 2 - 60)}"`,
];

/** A sequence of 2,100 empty descriptions. */
const MANY_EMPTY = `/respond/A?${'first=&'.repeat(LONGEST / 7)}then=`;

/** A sequence whose only description is another one, and so on. */
function nestedSequence(depth: number): string {
  let query = '';
  for (let at = 0; at < depth; at++) query = `first=${encodeURIComponent(query)}`;
  return `/respond/A?${query}`;
}

const asJson = (target: string, text: string): Asked => ({
  target,
  method: 'POST',
  fields: ['Content-Type', 'application/json'],
  content: Buffer.from(text),
});

/** Queries of /respond: each parameter that can be long, and what takes long to make. */
const QUERIES: readonly string[] = [
  `body=${'%3C'.repeat(LONGEST / 3)}&type=text/html`,
  `body=${'<'.repeat(LONGEST)}&encoding=br&digest=sha-512`,
  `base64=${'PDw8'.repeat(LONGEST / 4)}&type=text/html`,
  `header=${'a:b&header='.repeat(900)}a:b`,
  `trailer=${'a:b&trailer='.repeat(900)}a:b`,
  `status=${'200:0,'.repeat(LONGEST / 6)}200:100`,
  `delay=${'0:0,'.repeat(LONGEST / 4)}0:100`,
  `informational=${'103,'.repeat(25)}103&informational_header=${'Link:+</a>&informational_header='.repeat(9)}a:b`,
  `type=a/b${';a=b'.repeat(LONGEST / 4)}`,
  `type=a/b${'%20'.repeat(LONGEST / 3)}x`,
  `fault=reset${',after=1'.repeat(LONGEST / 8)}`,
  `header=a:${'%20'.repeat(LONGEST / 3)}x%01`,
  `content=random:10m&digest=sha-512&chunk=1`,
  `content=lines:655360&rate=1000000`,
  `content=echo&type=text/html&chunk=16384`,
];

/** Forms whose escapes or spaces are many. */
const FORMS = ['%41%ff+', '+%41', 'a%ff', '+', '%', '%4', 'é%41', '%ff', '%00', '\0'].map((text) =>
  text.repeat(Math.floor(MOST / Buffer.byteLength(text))),
);

/** As --respond has them. */
export const RULES: readonly string[] = [
  '* /v1/*/o/*/i/*/x: status=503',
  '* /*/*/*/x: content=echo&type=text/html',
  '* /rule/*: content=random:10m&digest=sha-512&chunk=1',
];

/** A part of multipart/form-data. */
const formPart = (parameters: string, value: string): string =>
  `--b\r\nContent-Disposition: form-data; ${parameters}\r\n\r\n${value}\r\n`;

const NULS = '\0'.repeat(MOST - 200);

/** Parts of multipart/form-data that fill it, or have what takes longest in them. */
const MULTIPARTS: readonly string[] = [
  formPart('name="a"', 'x').repeat(40_000),
  ...['%0a\\"', '\\"', '%0d'].map((escape) =>
    formPart(`name="${escape.repeat(16_000 / escape.length)}"`, 'x').repeat(128),
  ),
  list(4990, (at) => formPart(`name="f${at}"; filename="f"`, 'x'.repeat(130))).replaceAll(',', ''),
  list(4990, () =>
    formPart('name=f;a;a;a;a;a;a;a;a;filename=f', '\u{1f375}'.repeat(30)),
  ).replaceAll(',', ''),
  formPart(`name="a"${';a=b'.repeat(4000)}`, 'x').repeat(128),
  `--b\r\nContent-Disposition: form-data; name=a\r\n${'a:\r\n'.repeat(4000)}\r\nx\r\n`.repeat(128),
  '\r\n--b  -'.repeat(MOST / 9 - 10),
  formPart('name="a"', NULS),
  formPart('name="a"; filename="a"', NULS),
];

/** Content that takes longest to echo or to parse, with a type by which it is parsed. */
export const LARGE_CONTENTS: readonly (Pick<Asked, 'fields'> & { readonly content: Buffer })[] = [
  ...['<', '"', '\0', '\x01', '\u00e9', '\u2028'].map((text) => ({ content: filled(text) })),
  { content: Buffer.alloc(MOST, 0xff) },
  ...VALUES.map((text) => ({ content: Buffer.from(text) })),
  ...[
    ...[50_000, 10_000].map((names) =>
      list(50_000, (at) => `k${at % names}=1`).replaceAll(',', '&'),
    ),
    ...FORMS,
  ].map((text) => ({
    fields: ['Content-Type', 'application/x-www-form-urlencoded'],
    content: Buffer.from(text),
  })),
  ...MULTIPARTS.map((parts) => ({
    fields: ['Content-Type', 'multipart/form-data; boundary=b'],
    content: Buffer.from(`${parts}--b--\r\n`),
  })),
];

/** Each way to describe a response, but the query, which is that of an operation as others are. */
export const waysToDescribe: readonly [way: string, asked: readonly Asked[]][] = [
  ['query', QUERIES.map((query) => ({ target: `/respond?${query}` }))],
  [
    'JSON',
    [
      ...VALUES.flatMap((value) =>
        ['body', 'header', 'status', 'fault', 'base64'].map((name) =>
          asJson('/respond', `{"type":"text/html","${name}":${value}}`),
        ),
      ),
      ...VALUES.map((value) => asJson('/respond', value)),
      asJson('/respond', `{"header":[${list(2000, (at) => `"a${at}: b"`)}]}`),
      ...['', 'A*==', '+-8=', '='].map((end) =>
        asJson('/respond', `{"base64":"${'PDw8'.repeat(MOST / 4 - 20)}${end}","type":"text/html"}`),
      ),
    ],
  ],
  [
    'field',
    [
      ...QUERIES.map((query) => ({ target: '/nowhere', fields: ['X-Wirebin-Respond', query] })),
      ...LARGE_CONTENTS.map(({ content }): Asked => ({
        target: '/nowhere',
        method: 'POST',
        fields: ['X-Wirebin-Respond', 'content=echo&type=text/html'],
        content,
      })),
    ],
  ],
  [
    'rule',
    [
      ...['/o/', '/i/', '/', '/o/i', 'x/'].map((part) => ({
        target: `/v1/${part.repeat(LONGEST / part.length)}`,
      })),
      ...[1, LONGEST].map((length) => ({ target: `/rule/${'a'.repeat(length)}` })),
      { target: '/a/b/c/x', method: 'POST', content: filled('<') },
    ],
  ],
  [
    'sequence',
    [
      ...QUERIES.map((query) => ({
        target: `/respond/A?first=${encodeURIComponent(query).slice(0, LONGEST)}`,
      })),
      { target: MANY_EMPTY },
      { target: MANY_EMPTY, method: 'POST', content: Buffer.from('x') },
      // A sequence in a sequence in a sequence is none.
      { target: nestedSequence(100), method: 'POST', content: Buffer.from('x') },
      ...VALUES.map((value) => asJson('/respond/A', `{"first":[{"body":${value}}]}`)),
      ...VALUES.map((value) => asJson('/respond/A', `{"first":${value}}`)),
      asJson(
        '/respond/A',
        `{"first":[${list(100, () => `{"header":[${list(900, () => '"a: b"')}]}`)}]}`,
      ),
      asJson(
        '/respond/A',
        `{"first":[${list(100, () => '{"status":"'.concat('200:1,'.repeat(2700), '200:1"}'))}]}`,
      ),
    ],
  ],
];
