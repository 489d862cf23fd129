import { expect, test } from 'vitest';
import { overBothProtocols } from '../../_everywhere.ts';
import { exchange } from '../../_raw.ts';
import { inDialect } from '../_in.ts';

const client = inDialect('go-httpbin');

test.each([
  // Go's first fraction of this seed is 0.0827.
  ['seed=1234567890', 500],
  ['seed=1234567890&failure_rate=0.08', 200],
  ['seed=-12345&failure_rate=1', 500],
  ['failure_rate=0', 200],
  ['failure_rate=1.23', 400],
  ['failure_rate=x', 400],
  ['seed=3.14', 400],
])('/unstable?%s is %i', async (query, status) => {
  expect((await client().request(`/unstable?${query}`)).status).toBe(status);
});

test.each([
  ['/links/2/0', '0 <a href="/links/2/1">1</a> '],
  ['/links/2/10', '<a href="/links/2/0">0</a> <a href="/links/2/1">1</a> '],
  ['/links/1/-1', '<a href="/links/1/0">0</a> '],
])('%s', async (path, links) => {
  const { headers, body } = await client().request(path);
  expect(headers['content-type']).toBe('text/html; charset=utf-8');
  expect(body.toString()).toBe(
    `<html><head><title>Links</title></head><body>${links}</body></html>`,
  );
});

test('/head allows HEAD only', async () => {
  const { status, headers } = await client().request('/head', { method: 'HEAD' });
  expect([status, headers['content-length']]).toEqual([200, undefined]);
  for (const method of ['GET', 'POST']) {
    const rejected = await client().request('/head', { method });
    expect([rejected.status, rejected.headers.allow]).toEqual([405, 'HEAD']);
  }
});

overBothProtocols(({ client: anywhere, transport, running }) => {
  test('100 is an interim response, followed by a final one', async () => {
    for (const path of ['/status/100', '/drip?code=100&duration=0&delay=0&numbytes=3']) {
      const { status, body } = await anywhere().request(path);
      expect(status).toBe(200);
      expect(body.toString()).toBe(path.startsWith('/drip') ? '***' : '');
    }
  });

  if (transport !== 'http/1.1') return;

  test('it is not sent to HTTP/1.0 clients (RFC 9110 15.2)', async () => {
    for (const [version, start] of [
      ['1.1', 'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\n'],
      ['1.0', 'HTTP/1.1 200 OK\r\n'],
    ] as const) {
      const request = `GET /status/100 HTTP/${version}\r\nHost: a\r\nConnection: close\r\n\r\n`;
      expect(await exchange(running().port, request)).toMatch(new RegExp(`^${start}`));
    }
  });
}, '--dialect=go-httpbin');
