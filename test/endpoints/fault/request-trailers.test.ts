import { once } from 'node:events';
import { expect, test } from 'vitest';
import { connectHttp2 } from '../../../src/net/http2-sessions.ts';
import { alpnOf, isHttp2 } from '../../_client.ts';
import { everywhere } from '../../_everywhere.ts';
import { exchange, statusesOf } from '../../_raw.ts';

const PATH = '/fault/request-trailers';

/** Sends a request with a trailer field on HTTP/1.1. @returns the statuses received */
async function overHttp1(port: number, alpn: string[] | undefined, path: string) {
  const request =
    `POST ${path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n` +
    '1\r\na\r\n0\r\nX-Sum: 1\r\n\r\n';
  return statusesOf(await exchange(port, request, alpn));
}

/** The same on HTTP/2. */
async function overHttp2(port: number, scheme: string, path: string) {
  const session = connectHttp2(`${scheme}://127.0.0.1:${port}`, { rejectUnauthorized: false });
  const fields = { ':method': 'POST', ':path': path };
  const stream = session.request(fields, { waitForTrailers: true });
  const statuses: (number | undefined)[] = [];
  stream
    .on('wantTrailers', () => stream.sendTrailers({ 'x-sum': '1' }))
    .on('response', (response) => statuses.push(response[':status']))
    .on('error', () => undefined)
    .resume()
    .end('a');
  await once(stream, 'close');
  session.destroy();
  return statuses;
}

everywhere(({ client, running, transport }) => {
  const statusesFor = (path: string) =>
    isHttp2(transport)
      ? overHttp2(running().port, transport === 'h2' ? 'https' : 'http', path)
      : overHttp1(running().port, alpnOf(transport), path);

  test('a request without trailer fields is answered', async () => {
    const { status } = await client().request(PATH, { method: 'POST', body: 'content' });
    expect(status).toBe(200);
  });

  test.each([
    ['', [400]],
    ['?then=refuse', [400]],
    ['?then=close', []],
  ])('a request with one: %s', async (query, statuses) => {
    expect(await statusesFor(PATH + query)).toEqual(statuses);
  });
});
