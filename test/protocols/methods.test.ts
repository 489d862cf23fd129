import { readFileSync } from 'node:fs';
import { METHODS } from 'node:http';
import { expect, test } from 'vitest';
import { parserErrorToProblem } from '../../src/protocols/http1/parser-error.ts';
import { until } from '../_adapters.ts';
import * as h2 from '../_frames.ts';
import { exchange, GET, openSocket } from '../_raw.ts';
import { sharedService } from '../_shared.ts';

const UNKNOWN = ['BREW', 'GETTER', 'get', 'DESCRIBE', 'a-b.c~d', 'X'.repeat(64)];

const running = sharedService();

/** The detail of the last problem in `text`. */
function detailIn(text: string): unknown {
  const problem: unknown = JSON.parse(text.slice(text.lastIndexOf('{')));
  expect(problem).toMatchObject({ status: 501, type: '/problems/not-implemented' });
  return (problem as Record<string, unknown>)['detail'];
}

const unknownTo = (name: string): string => `Node's parser of HTTP/1.1 does not know ${name}`;

test.each(UNKNOWN)('HTTP/1.1 responds to %s with 501 and names it', async (method) => {
  const request = `${method} /anything HTTP/1.1\r\nHost: x\r\n\r\n`;
  expect(detailIn(await exchange(running().port, request))).toBe(unknownTo(`the method ${method}`));
  const second = await exchange(running().port, GET('/ip') + request);
  expect(detailIn(second)).toBe(unknownTo(`the method ${method}`));
});

test('a name that is too long is omitted', async () => {
  const long = `${'X'.repeat(65)} /anything HTTP/1.1\r\nHost: x\r\n\r\n`;
  expect(detailIn(await exchange(running().port, long))).toBe(unknownTo('this method'));
});

test.each([
  ['PROPX', 'PROPX', 'the method PROPX'],
  ['X', 'PROP', 'this method'],
  ['X', undefined, 'the method X'],
])('for the bytes %s, of which %s came first, it names %s', (method, first, name) => {
  const rawPacket = Buffer.from(`${method} /anything HTTP/1.1\r\nHost: x\r\n\r\n`);
  const error = Object.assign(new Error(), { code: 'HPE_INVALID_METHOD', rawPacket });
  expect(
    parserErrorToProblem(error, first === undefined ? undefined : Buffer.from(first))?.message,
  ).toBe(unknownTo(name));
});

test.each([
  ['POST', 'POST /x'.length],
  ['POST', 'PO'.length],
  ['BREW', 'BREW /x'.length],
])(
  'it names no method if content of the previous request ends in a line of %s',
  async (method, length) => {
    const first = `POST /anything HTTP/1.1\r\nHost: x\r\nContent-Length: ${length}\r\n\r\n`;
    const text = await exchange(
      running().port,
      `${first}${method} /x?a=1 HTTP/1.1\r\nHost: x\r\n\r\n`,
    );
    expect(JSON.parse(text.slice(text.lastIndexOf('{')))).toMatchObject({
      status: 400,
      detail: 'the bytes after the previous request do not begin a request line',
    });
  },
);

test.each(UNKNOWN)('HTTP/2 echoes %s', async (method) => {
  const client = new h2.FrameClient(await openSocket(running().port));
  client.send(h2.request(1, method, '/anything'));
  await until(() => client.isDone(1));
  expect(JSON.parse(client.content(1))).toMatchObject({ method });
});

test("docs/endpoints.md lists the methods of Node's parser", () => {
  const page = readFileSync(new URL('../../docs/endpoints.md', import.meta.url), 'utf8');
  const [, list = ''] = /methods that Node's parser\s+knows\s+\(([^)]+)\)/.exec(page) ?? [];
  expect(list.split(/,\s+/)).toEqual(METHODS.toSorted());
});
