import { expect, test } from 'vitest';
import { sharedPlace } from '../../_everywhere.ts';
import { exchange, GET, LAST, statusesOf } from '../../_raw.ts';

const { running } = sharedPlace('http/1.1');
const bytesOf = (query: string, fields = LAST) =>
  exchange(running().port, GET(`/respond?${query}`, fields));

test.each(['GET', 'HEAD'])(
  'framing=close with a wanted digest: no trailers (%s)',
  async (method) => {
    const { port } = running();
    const request = `${method} /respond?body=abc&framing=close HTTP/1.1\r\nHost: a\r\n`;
    const received = await exchange(port, `${request}Want-Content-Digest: sha-256=1\r\n\r\n`);
    expect(statusesOf(received)).toEqual([200]);
    expect(received).not.toMatch(/^(?:Trailer|Transfer-Encoding):/im);
    expect(received.endsWith(method === 'GET' ? '\r\n\r\nabc' : '\r\n\r\n')).toBe(true);
  },
);

test('framing=close: the end of the connection ends the content', async () => {
  const received = await bytesOf('body=abc&framing=close', '');
  expect(received).toMatch(/\r\nConnection: close\r\n.*\r\n\r\nabc$/s);
  expect(received).not.toMatch(/Transfer-Encoding|Content-Length/);
});

test('connection=close', async () => {
  expect(await bytesOf('body=abc&connection=close', '')).toMatch(
    /Content-Length: 3\r\n.*\r\nConnection: close\r\n.*\r\n\r\nabc$/s,
  );
});

test('interim responses with their fields come first', async () => {
  const query = 'informational=103,102&informational_header=Link:%20%3C/a%3E&status=404';
  expect(await bytesOf(query)).toMatch(
    /^HTTP\/1\.1 103 Early Hints\r\nLink: <\/a>\r\n\r\nHTTP\/1\.1 102 Processing\r\nLink: <\/a>\r\n\r\nHTTP\/1\.1 404 Not Found\r\n/,
  );
});

test('HTTP/1.0 has no chunks, trailers or interim responses', async () => {
  const query = 'body=abc&chunk=1&trailer=a:b&informational=103';
  const received = await exchange(running().port, `GET /respond?${query} HTTP/1.0\r\n\r\n`);
  expect(received).toMatch(/^HTTP\/1\.1 200 OK\r\n.*\r\n\r\nabc$/s);
  expect(received).not.toMatch(/Trailer|Transfer-Encoding/);
});
