import { describe, expect, test } from 'vitest';
import { overBothProtocols, overOneProtocol } from '../_everywhere.ts';
import { converse, exchange, GET, LAST, openSocket } from '../_raw.ts';
import { expectRefused } from '../_refusal.ts';

overBothProtocols(({ client, transport }) => {
  test('RFC 9110 6.5: the parameters follow the echo', async () => {
    const target = '/trailers?X-One=1&x-two=a%20b&x-empty=';
    const { status, headers, body, trailers } = await client().request(target);
    expect(status).toBe(200);
    expect(headers).toMatchObject({
      'content-type': 'application/json',
      trailer: 'X-One, x-two, x-empty',
    });
    expect(headers['content-length']).toBeUndefined();
    expect(headers['transfer-encoding']).toBe(transport.endsWith('1.1') ? 'chunked' : undefined);
    expect(JSON.parse(body.toString())).toMatchObject({
      method: 'GET',
      args: { 'X-One': '1', 'x-two': 'a b', 'x-empty': '' },
    });
    expect(Object.fromEntries(Object.entries(trailers))).toEqual({
      'x-one': '1',
      'x-two': 'a b',
      'x-empty': '',
    });
  });

  test('a repeated name is repeated', async () => {
    const { headers, trailers } = await client().request('/trailers?x=1&x=2&y=3');
    expect(headers['trailer']).toBe('x, y');
    expect(Object.fromEntries(Object.entries(trailers))).toEqual({ x: '1, 2', y: '3' });
  });

  test('bytes are sent unchanged', async () => {
    const { trailers } = await client().request('/trailers?x=caf%C3%A9%E9');
    expect(Buffer.from(trailers['x'] ?? '', 'latin1').toString('hex')).toBe('636166c3a9e9');
  });

  test('without parameters there are no trailers and no Content-Length', async () => {
    const { status, headers, body, trailers } = await client().request('/trailers');
    expect(status).toBe(200);
    expect([headers['content-length'], headers['trailer']]).toEqual([undefined, undefined]);
    expect(JSON.parse(body.toString())).toMatchObject({ path: '/trailers' });
    expect(Object.fromEntries(Object.entries(trailers))).toEqual({});
  });

  test('after an echo of large non-ASCII content', async () => {
    const content = '\u00fc'.repeat(100_000);
    const { body, trailers } = await client().request('/trailers?x=1', {
      method: 'POST',
      body: content,
    });
    expect(JSON.parse(body.toString())).toMatchObject({ method: 'POST', data: content });
    expect(Object.fromEntries(Object.entries(trailers))).toEqual({ x: '1' });
  });

  test('many concurrent requests on one connection', async () => {
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, at) => client().request(`/trailers?x=${at}`)),
    );
    expect(answers.map(({ trailers }) => trailers['x'])).toEqual(
      Array.from({ length: 20 }, (_, at) => String(at)),
    );
  });

  test('HEAD has the Trailer field', async () => {
    const { status, headers, body } = await client().request('/trailers?x=1', { method: 'HEAD' });
    expect([status, headers['trailer'], body.length]).toEqual([200, 'x', 0]);
  });

  describe('rejected parameters', () => {
    const framing = 'cannot be set: it affects message framing or the connection';
    const tooLate = 'cannot be a trailer field (RFC 9110 6.5.1)';
    test.each([
      ['Content-Length=1', `Content-Length ${framing}`],
      ['transfer-encoding=chunked', `transfer-encoding ${framing}`],
      ['Trailer=x', `Trailer ${framing}`],
      ['connection=close', `connection ${framing}`],
      [':status=200', `:status ${framing}`],
      ['x=1&Authorization=y', `Authorization ${tooLate}`],
      ['set-cookie=a', `set-cookie ${tooLate}`],
      ['Content-Type=a', `Content-Type ${tooLate}`],
      ['content-encoding=a', `content-encoding ${tooLate}`],
      ['content-range=a', `content-range ${tooLate}`],
      ['cache-control=a', `cache-control ${tooLate}`],
      ['host=a', `host ${tooLate}`],
      ['max-forwards=1', `max-forwards ${tooLate}`],
      ['a%20b=1', 'a b is not a field name'],
      ['=1', 'an empty string is not a field name'],
      ['x=a%0D%0Ab', 'x=a\r\nb is not a field value'],
      ['etag=1&etag=2', 'etag is given more than once, but has a single value'],
    ])('%s', async (query, detail) => {
      await expectRefused(client(), `/trailers?${query}`, detail);
    });
  });
});

overOneProtocol(({ running }) => {
  test('RFC 9112 7.1.2: they follow the last chunk', async () => {
    const answer = await exchange(running().port, GET('/trailers?X-A=1&x-B=2&X-A=3', LAST));
    expect(answer).toMatch(/\r\nTrailer: X-A, x-B\r\n/);
    expect(answer).toMatch(/\}\n\r\n0\r\nX-A: 1\r\nx-B: 2\r\nX-A: 3\r\n\r\n$/);
  });

  test('the same if pipelined, and on a persistent connection', async () => {
    const requests = GET('/delay/0.1') + GET('/trailers?a=1') + GET('/trailers?b=2', LAST);
    const answer = await exchange(running().port, requests);
    const [, first = '', second = ''] = answer.split('HTTP/1.1 200 OK\r\n').slice(1);
    expect(first).toMatch(/\}\n\r\n0\r\na: 1\r\n\r\n$/);
    expect(second).toMatch(/\}\n\r\n0\r\nb: 2\r\n\r\n$/);
    const alone = await openSocket(running().port);
    const kept = await converse(alone, GET('/trailers?c=3'), (text) => text.endsWith('3\r\n\r\n'));
    expect(kept).toMatch(/\r\nTransfer-Encoding: chunked\r\n/);
    expect(kept).toMatch(/\}\n\r\n0\r\nc: 3\r\n\r\n$/);
  });

  test('HTTP/1.0 has no trailers', async () => {
    const answer = await exchange(running().port, 'GET /trailers?x=1 HTTP/1.0\r\n\r\n');
    expect(answer).toMatch(/\r\n\r\n\{[\s\S]*\}\n$/);
  });
});
