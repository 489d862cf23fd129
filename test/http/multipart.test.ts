import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { multipartBoundary, parseMultipart } from '../../src/http/multipart.ts';

const read = (text: string): Record<string, unknown>[] | undefined =>
  parseMultipart(Buffer.from(text), 'b')?.map(({ name, filename, type, content }) => ({
    name,
    filename,
    type,
    content: content.toString(),
  }));

const part = (disposition: string, content = 'x', more = ''): string =>
  `--b\r\nContent-Disposition: ${disposition}\r\n${more}\r\n${content}\r\n`;

test.each([
  ['multipart/form-data; boundary=b', 'b'],
  ['multipart/form-data;BOUNDARY=----WebKitFormBoundary7MA4YWxk', '----WebKitFormBoundary7MA4YWxk'],
  ['multipart/form-data; charset="a;boundary=no"; boundary="a b:c?"; x=y', 'a b:c?'],
  [`multipart/form-data; boundary=${'b'.repeat(70)}`, 'b'.repeat(70)],
  [`multipart/form-data; boundary=${'b'.repeat(71)}`, undefined],
  ['multipart/form-data; boundary=', undefined],
  ['multipart/form-data; boundary="ends in a space "', undefined],
  ['multipart/form-data; boundary=<>', undefined],
  ['multipart/form-data; boundary="open', undefined],
  ['multipart/form-data', undefined],
])('RFC 2046 5.1.1: the boundary of %s is %s', (type, boundary) => {
  expect(multipartBoundary(type)).toBe(boundary);
});

test('escapes of names are decoded once, and all else is kept', () => {
  const parts = ['%', '0', 'a', 'D', '2', '22', '\\', '\\"', '%0A', '%0d', '%22', '%41', 'é', '🍵'];
  const names = fc.string({ unit: fc.constantFrom(...parts), maxLength: 8 });
  const decoded: Readonly<Record<string, string>> = { '%0a': '\n', '%0d': '\r' };
  fc.assert(
    fc.property(names, (text) => {
      const name = `${text}.`;
      const expected = name.replace(
        /%0[AD]|%22|\\"/gi,
        (escape) => decoded[escape.toLowerCase()] ?? '"',
      );
      expect(read(`${part(`form-data; name="${name}"`)}--b--`)?.[0]?.['name']).toBe(expected);
    }),
    { numRuns: 1000 },
  );
});

test.each([
  [10, ['a']],
  [11, undefined],
])('a part with %i parameters, of at most ten', (count, names) => {
  const text = `${part(`form-data; name=a${'; b=c'.repeat(count - 1)}`)}--b--`;
  expect(read(text)?.map(({ name }) => name)).toEqual(names);
});

test.each([
  [20, ['a']],
  [21, undefined],
])('a part with %i field lines, of at most 20', (count, names) => {
  const text = `${part(`form-data; name=a${'\r\nx: y'.repeat(count - 1)}`)}--b--`;
  expect(read(text)?.map(({ name }) => name)).toEqual(names);
});

describe('well-formed content (RFC 7578 4)', () => {
  test('fields and files, with their types', () => {
    const text = `${part('form-data; name="a"', '1')}${part(
      'form-data; name="f"; filename="t.txt"',
      'two\r\nlines',
      'content-type: text/plain\r\n',
    )}--b--\r\n`;
    expect(read(text)).toEqual([
      { name: 'a', filename: undefined, type: undefined, content: '1' },
      { name: 'f', filename: 't.txt', type: 'text/plain', content: 'two\r\nlines' },
    ]);
  });

  test.each([
    ['no part at all', '--b--\r\n', []],
    ['a preamble and an epilogue', `hello --b\r\n${part('form-data; name=a')}--b--\r\nbye`, ['x']],
    ['transport padding', `--b \t\r\n${part('form-data; name=a').slice(5)}--b-- \t`, ['x']],
    ['empty content', `${part('form-data; name=a', '')}--b--`, ['']],
    [
      'content that starts like a delimiter',
      `${part('form-data; name=a', '\r\n--bc')}--b--`,
      ['\r\n--bc'],
    ],
    [
      'content that starts like the last delimiter',
      `${part('form-data; name=a', '\r\n--b--x')}--b--`,
      ['\r\n--b--x'],
    ],
  ])('%s', (_, text, contents) => {
    expect(read(text)?.map(({ content }) => content)).toEqual(contents);
  });

  test.each([
    ['name="a%22b%0D%0Ac"', 'a"b\r\nc', undefined],
    ['name="a%20%2522"', 'a%20%2522', undefined],
    ['name="é€𝄞"; filename="naïve.txt"', 'é€𝄞', 'naïve.txt'],
    ['name="a\\"b"', 'a"b', undefined],
    ['name="a"; filename="C:\\dir\\"', 'a', 'C:\\dir\\'],
    ['filename="";  NAME=token ;', 'token', ''],
    ['name=""', '', undefined],
    ["name=a; filename*=utf-8''x", 'a', undefined],
    ['name="a"; name="b"', 'a', undefined],
  ])('names as sent by browsers: %s', (parameters, name, filename) => {
    expect(read(`${part(`form-data; ${parameters}`)}--b--`)).toMatchObject([{ name, filename }]);
  });
});

test.each([
  ['nothing', ''],
  ['another boundary', '--c\r\n\r\n--c--'],
  ['no closing delimiter', part('form-data; name=a')],
  ['no delimiter at the start of a line', 'x--b--'],
  ['no blank line', '--b\r\nContent-Disposition: form-data; name=a\r\n--b--'],
  ['no fields', '--b\r\n\r\nx\r\n--b--'],
  ['bare line feeds', part('form-data; name=a').replaceAll('\r\n', '\n')],
  ['a field without a colon', `--b\r\nContent-Disposition\r\n\r\nx\r\n--b--`],
  ['a field without a name', `--b\r\n: x\r\n\r\nx\r\n--b--`],
  ['no name', `${part('form-data; filename=a')}--b--`],
  ['another disposition', `${part('attachment; name=a')}--b--`],
  ['a malformed parameter', `${part('form-data; name="a"b')}--b--`],
])('malformed content is rejected: %s', (_, text) => {
  expect(read(text)).toBeUndefined();
});

test('round-trips arbitrary bytes', () => {
  const anyBytes = fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes));
  const contents = fc.array(
    anyBytes.filter((bytes) => !bytes.includes('--b')),
    { maxLength: 5 },
  );
  fc.assert(
    fc.property(contents, (sent) => {
      const parts = sent.flatMap((content, at) => [
        Buffer.from(`--b\r\nContent-Disposition: form-data; name="${at}"\r\n\r\n`),
        content,
        Buffer.from('\r\n'),
      ]);
      const received = parseMultipart(Buffer.concat([...parts, Buffer.from('--b--')]), 'b');
      expect(received?.map(({ content }) => content)).toEqual(sent);
    }),
  );
});

/** The minimum CPU time in milliseconds to parse the content. */
function cost(text: string, boundary: string): number {
  const content = Buffer.from(text, 'latin1');
  const times = Array.from({ length: 5 }, () => {
    const start = process.cpuUsage();
    parseMultipart(content, boundary);
    return process.cpuUsage(start).user / 1000;
  });
  return Math.min(...times);
}

// Eight times the length takes about eight times the work if it is linear, 64 times if quadratic.
test.each([
  ['delimiters that are none', (n: number) => '\r\n--b-'.repeat(n)],
  [
    'padded lines that are not delimiters',
    (n: number) => `\r\n--b${' '.repeat(40)}x`.repeat(n / 8),
  ],
  ['almost boundaries', (n: number) => `\r\n--${'b'.repeat(69)}`.repeat(n / 8), 'b'.repeat(70)],
  ['quotation marks', (n: number) => `${part(`form-data; name="${'" '.repeat(n)}`)}--b--`],
  ['blanks in a parameter', (n: number) => `${part(`form-data; name="a"${' '.repeat(n)}x`)}--b--`],
  ['parameters', (n: number) => `${part(`form-data${';a=b'.repeat(n)}`)}--b--`],
  ['escapes', (n: number) => `${part(`form-data; name="${'%22\\"'.repeat(n)}"`)}--b--`],
  ['fields', (n: number) => `${part('form-data; name=a', 'x', 'a:b\r\n'.repeat(n))}--b--`],
  ['parts', (n: number) => `${part('form-data; name=a').repeat(n / 8)}--b--`],
])('parsing takes linear time: %s', (_, make, boundary = 'b') => {
  const [small, large] = [2 ** 14, 2 ** 17];
  const least = Math.max(cost(make(small), boundary), 2);
  expect(cost(make(large), boundary)).toBeLessThan(least * 30);
});

/** A form of one part whose fields have this length. */
function formWithFields(length: number): Buffer {
  const fields = 'Content-Disposition: form-data; name="a"\r\nX: ';
  const head = fields + 'x'.repeat(length - fields.length);
  return Buffer.from(`--b\r\n${head}\r\n\r\ncontent\r\n--b--`);
}

test('the fields of a part have at most 16 KiB', () => {
  expect(parseMultipart(formWithFields(16 * 1024), 'b')).toHaveLength(1);
  expect(parseMultipart(formWithFields(16 * 1024 + 1), 'b')).toBeUndefined();
});
