import { expect, test } from 'vitest';
import { readMessageContent } from '../../src/http/content.ts';

const read = (content: string | Buffer, type?: string): unknown =>
  JSON.parse(JSON.stringify(readMessageContent(Buffer.from(content), type)));

const empty = { body: '', body_encoding: 'utf8', data: '', form: {}, files: {}, json: null };
const FORM = 'application/x-www-form-urlencoded';
const BINARY = Buffer.from([0xff, 0x00, 0xfe]);

test.each<[string, string | Buffer, string | undefined, object]>([
  ['none', '', undefined, {}],
  ['none, with a type', '', 'application/json', {}],
  ['text', 'héllo', 'text/plain', { body: 'héllo', data: 'héllo' }],
  ['JSON without a type', '[1]', undefined, { body: '[1]', data: '[1]', json: [1] }],
  ['a JSON string', '"a"', 'text/plain', { body: '"a"', data: '"a"', json: 'a' }],
  ['JSON that is none', '{', 'application/json', { body: '{', data: '{' }],
  [
    'bytes without a type',
    BINARY,
    undefined,
    { data: 'data:application/octet-stream;base64,/wD+' },
  ],
  ['bytes', BINARY, 'Image/PNG; q=1', { data: 'data:image/png;base64,/wD+' }],
  [
    'a form',
    'a=1&b=2&a=%20+',
    `${FORM}; charset=utf-8`,
    { data: '', form: { a: ['1', '  '], b: '2' } },
  ],
  ['a form of bytes', BINARY, FORM, { data: `data:${FORM};base64,/wD+` }],
])('content is parsed like httpbin does: %s', (_, content, type, expected) => {
  const [body, body_encoding] = content === BINARY ? ['/wD+', 'base64'] : [content, 'utf8'];
  expect(read(content, type)).toEqual({ ...empty, body, body_encoding, ...expected });
});

test.each([
  ['50,000 pairs', 50_000, '&0'],
  ['10,000 different names', 10_000, '&x'],
])('a form of more than %s is not parsed', (_, most, another) => {
  const pairs = Array.from({ length: most }, (__, at) => `${at % 10_000}`).join('&');
  const { data, form } = readMessageContent(Buffer.from(pairs), FORM);
  expect([data, Object.keys(form).length]).toEqual(['', 10_000]);
  const more = pairs + another;
  expect(readMessageContent(Buffer.from(more), FORM)).toMatchObject({ data: more, form: {} });
});

const TYPE = 'multipart/form-data; boundary=b';

test('a multipart form of more than 5,000 parts is not parsed', () => {
  const part = '--b\r\nContent-Disposition: form-data; name=a\r\n\r\n1\r\n';
  const most = `${part.repeat(5000)}--b--\r\n`;
  expect(read(most, TYPE)).toMatchObject({ data: '', form: { a: { length: 5000 } } });
  expect(read(part + most, TYPE)).toMatchObject({ data: part + most, form: {} });
});

function multipart(...parts: [disposition: string, type: string, content: Buffer][]): Buffer {
  return Buffer.concat([
    ...parts.flatMap(([disposition, type, content]) => [
      Buffer.from(`--b\r\nContent-Disposition: form-data; ${disposition}\r\n`),
      Buffer.from(`${type && `Content-Type: ${type}\r\n`}\r\n`),
      content,
      Buffer.from('\r\n'),
    ]),
    Buffer.from('--b--\r\n'),
  ]);
}

test('RFC 7578: a multipart form has fields and files, and repeated names become arrays', () => {
  const content = multipart(
    ['name="a"', '', Buffer.from('1')],
    ['name="f"; filename="x.txt"', 'text/plain', Buffer.from('{"text":1}')],
    ['name="a"', '', Buffer.from('é')],
    ['name="f"; filename="x.png"', 'image/png', BINARY],
    ['name="f"; filename=""', '', Buffer.from('')],
    ['name="g"', '', BINARY],
  );
  expect(read(content, TYPE)).toEqual({
    body: content.toString('base64'),
    body_encoding: 'base64',
    data: '',
    form: { a: ['1', 'é'], g: 'data:application/octet-stream;base64,/wD+' },
    files: { f: ['{"text":1}', 'data:image/png;base64,/wD+', ''] },
    json: null,
  });
});

test('parses FormData sent by fetch', async () => {
  const form = new FormData();
  form.append('a "b"\n', 'x');
  form.append('f', new File(['y'], 'ü.txt', { type: 'text/plain' }));
  const sent = new Response(form);
  const type = sent.headers.get('content-type') ?? '';
  expect(read(Buffer.from(await sent.arrayBuffer()), type)).toMatchObject({
    form: { 'a "b"\r\n': 'x' },
    files: { f: 'y' },
  });
});

test.each([
  ['not closed', '--b\r\nContent-Disposition: form-data; name=a\r\n\r\n1\r\n', TYPE],
  ['without a boundary', '--b--', 'multipart/form-data'],
])('a malformed multipart form is returned as data: %s', (_, content, type) => {
  expect(read(content, type)).toEqual({ ...empty, body: content, data: content });
});

test('a form without parts is valid', () => {
  expect(read('--b--\r\n', TYPE)).toEqual({ ...empty, body: '--b--\r\n' });
});

const nested = (depth: number, inside = ''): string =>
  '['.repeat(depth) + inside + ']'.repeat(depth);

test.each([
  ['a thousand levels', nested(1000), true],
  ['too many levels', nested(3000), false],
  ['more than the stack holds', nested(500_000), false],
  ['wide and deep', nested(1000, '1,'.repeat(50_000) + '1'), false],
  ['deep only inside strings', `["${'[\\"'.repeat(300_000)}"]`, true],
  ['wide', `[${'1,'.repeat(149_998)}1]`, true],
  ['wider', `[${'1,'.repeat(150_000)}1]`, false],
])('JSON is only parsed if it is within the bounds: %s', (_, text, shown) => {
  const { json, data } = readMessageContent(Buffer.from(text));
  expect(json !== null).toBe(shown);
  expect(data).toBe(text);
});
