import { once } from 'node:events';
import { sensitiveHeaders, type ServerHttp2Stream } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { connectHttp2, createHttp2Server } from '../../../src/net/http2-sessions.ts';
import { beginResponse, fieldSection } from '../../../src/protocols/http2/field-section.ts';

let respond: (stream: ServerHttp2Stream) => void = () => undefined;
const server = createHttp2Server().on('stream', (stream) => respond(stream));
let client: ReturnType<typeof connectHttp2>;

beforeAll(async () => {
  await once(server.listen(0, '127.0.0.1'), 'listening');
  client = connectHttp2(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
});

afterAll(() => {
  client.close();
  server.close();
});

/** The fields of a response in order without the value of Date, and those that are never indexed. */
async function received(method: string, responder: typeof respond): Promise<unknown> {
  respond = responder;
  const request = client.request({ ':method': method });
  const [headers, , lines] = (await once(request, 'response')) as [
    { [sensitiveHeaders]: string[] },
    number,
    string[],
  ];
  let content = '';
  request.setEncoding('utf8').on('data', (piece: string) => (content += piece));
  await once(request, 'end');
  const fields = lines.map((text, at) => (lines[at - 1] === 'date' ? isDate(text) : text));
  return { fields, neverIndexed: headers[sensitiveHeaders], content };
}

const isDate = (text: string): boolean => Math.abs(Date.parse(text) - Date.now()) < 10_000;

const FREQUENT = ['Content-Type', 'a/b', 'Content-Length', '1', 'X-Request-Id', 'c'];
const TIME = ['X-Response-Time', '1ms'];

test.each([
  ['frequent fields', 'GET', 200, [...FREQUENT, ...TIME]],
  ['in another order', 'GET', 404, [...TIME, ...FREQUENT]],
  ['none', 'GET', 500, []],
  ['HEAD', 'HEAD', 200, [...FREQUENT, ...TIME]],
  ['no content', 'GET', 204, TIME],
  ['a repeated field', 'GET', 200, [...FREQUENT, 'X-Request-Id', 'd']],
  ['other fields', 'GET', 200, [...FREQUENT, 'ETag', '"a"', 'Vary', 'a', 'Vary', 'b']],
  ['Date', 'GET', 200, ['Date', 'Thu, 01 Jan 1970 00:00:00 GMT', ...TIME]],
])('%s: the response is that of Node', async (_, method, status, fields) => {
  const endStream = method === 'HEAD';
  const end = (stream: ServerHttp2Stream): void => {
    if (!stream.writableEnded) stream.end(status === 204 ? '' : 'x');
  };
  const ours = await received(method, (stream) => {
    beginResponse(stream, status, fields, endStream);
    end(stream);
  });
  const theirs = await received(method, (stream) => {
    stream.respond(fieldSection(status, fields), { endStream });
    end(stream);
  });
  expect(ours).toEqual(theirs);
});

test.each([
  [199, FREQUENT, 'Invalid status code'],
  [200, ['Connection', 'close'], 'HTTP/1 Connection specific headers are forbidden'],
])('status %s with %o is refused, and the stream can have another response', async (...given) => {
  const [status, fields, reason] = given;
  const response = received('GET', (stream) => {
    expect(() => beginResponse(stream, status, fields, false)).toThrow(reason);
    stream.respond({ a: 'b' }, { sendDate: false });
    stream.end();
  });
  expect(await response).toMatchObject({ fields: [':status', '200', 'a', 'b'] });
});
