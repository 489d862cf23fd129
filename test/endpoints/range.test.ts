import { describe, expect, test } from 'vitest';
import { overOneProtocol } from '../_everywhere.ts';
import { timedBy } from './_timed.ts';

const MAX = 10 * 1024 * 1024;
const LAST_MODIFIED = 'Mon, 01 Jan 2024 00:00:00 GMT';

function letters(first: number, last: number): string {
  const alphabet = 'abcdefghijklmnopqrstuvwxyz';
  const start = first % 26;
  return alphabet
    .repeat(Math.ceil((last - first + 27) / 26))
    .slice(start, start + last - first + 1);
}

overOneProtocol(({ client }) => {
  const get = (target: string, headers: Record<string, string> = {}) =>
    client().request(target, { headers });

  const timed = timedBy(client);

  test.each([0, 1, 26, 1000, 65_536, 70_000])('%d bytes of the alphabet', async (n) => {
    const { status, headers, body } = await get(`/range/${n}`);
    expect(status).toBe(200);
    expect(headers).toMatchObject({
      'accept-ranges': 'bytes',
      'content-type': 'application/octet-stream',
      'content-length': String(n),
      etag: `"range-${n}"`,
      'last-modified': LAST_MODIFIED,
    });
    expect(body.toString()).toBe(letters(0, n - 1));
  });

  test('10 MiB', async () => {
    const { body } = await get(`/range/${MAX}`);
    expect(body.equals(Buffer.from(letters(0, MAX - 1)))).toBe(true);
  });

  describe('RFC 9110 15.3.7: one range', () => {
    test.each([
      ['bytes=30-', 30, 99],
      ['bytes=-5', 95, 99],
    ])('%s of 100', async (field, first, last) => {
      const { status, headers, body } = await get('/range/100', { range: field });
      expect(status).toBe(206);
      expect(headers).toMatchObject({
        'content-range': `bytes ${first}-${last}/100`,
        'content-type': 'application/octet-stream',
        'content-length': String(last - first + 1),
        'accept-ranges': 'bytes',
        etag: '"range-100"',
        'last-modified': LAST_MODIFIED,
      });
      expect(body.toString()).toBe(letters(first, last));
    });

    test('larger than a flow-control window', async () => {
      const { body } = await get(`/range/${MAX}`, { range: 'bytes=1000001-3000000' });
      expect(body.equals(Buffer.from(letters(1_000_001, 3_000_000)))).toBe(true);
    });
  });

  test('RFC 9110 15.3.7.2: several ranges are parts of multipart/byteranges', async () => {
    const { status, headers, body } = await get('/range/100', { range: 'bytes=50-59,0-1,-1' });
    expect(status).toBe(206);
    expect(headers['content-range']).toBeUndefined();
    expect(headers['content-length']).toBe(String(body.length));
    const type = headers['content-type'] ?? '';
    const boundary = /^multipart\/byteranges; boundary=(\S+)$/.exec(type)?.[1] ?? '';
    const part = (first: number, last: number): string =>
      `--${boundary}\r\nContent-Type: application/octet-stream\r\n` +
      `Content-Range: bytes ${first}-${last}/100\r\n\r\n${letters(first, last)}\r\n`;
    expect(body.toString()).toBe(`${part(50, 59)}${part(0, 1)}${part(99, 99)}--${boundary}--\r\n`);
  });

  test('RFC 9110 15.5.17: a range of no bytes is 416', async () => {
    const { status, headers, body } = await get('/range/0', { range: 'bytes=0-' });
    expect(status).toBe(416);
    expect(headers['content-range']).toBe('bytes */0');
    expect(JSON.parse(body.toString())).toMatchObject({ type: '/problems/range-not-satisfiable' });
  });

  test.each([
    ['"range-10"', 206],
    ['"range-11"', 200],
    [LAST_MODIFIED, 206],
  ])('RFC 9110 13.1.5: If-Range: %s gives %d', async (field, expected) => {
    const { status } = await get('/range/10', { range: 'bytes=0-1', 'if-range': field });
    expect(status).toBe(expected);
    // A range that is not applied cannot be unsatisfiable either.
    const beyond = await get('/range/10', { range: 'bytes=10-', 'if-range': field });
    expect(beyond.status).toBe(expected === 206 ? 416 : 200);
  });

  test.each([
    ['if-none-match', '"range-10"', 304],
    ['if-modified-since', LAST_MODIFIED, 304],
    ['if-match', 'W/"range-10"', 412],
  ])('RFC 9110 13.2.2: %s: %s before Range gives %d', async (name, value, expected) => {
    const { status, headers, body } = await get('/range/10', { [name]: value, range: 'bytes=0-1' });
    expect(status).toBe(expected);
    if (status !== 304) return;
    // RFC 9110 15.4.5: the fields that the 200 would have.
    expect(headers).toMatchObject({ etag: '"range-10"', 'last-modified': LAST_MODIFIED });
    expect(headers['content-length']).toBeUndefined();
    expect(body).toHaveLength(0);
  });

  test('max_age is in every response', async () => {
    const target = '/range/10?max_age=60';
    const whole = await get(target);
    const notModified = await get(target, { 'if-none-match': '"range-10"' });
    const without = await get('/range/10');
    expect(
      [whole, notModified, without].map(({ status, headers }) => [
        status,
        headers['cache-control'],
      ]),
    ).toEqual([
      [200, 'max-age=60'],
      [304, 'max-age=60'],
      [200, undefined],
    ]);
  });

  describe('over a duration', () => {
    test('with Content-Length and all bytes', async () => {
      const { status, headers, body, time } = await timed('/range/200000?duration=100ms');
      expect([status, headers['content-length']]).toEqual([200, '200000']);
      expect(headers['transfer-encoding']).toBeUndefined();
      expect(body.toString()).toBe(letters(0, 199_999));
      expect(time).toBeGreaterThan(99.9);
    });

    test('a range takes its share of the time', async () => {
      // All would take five minutes.
      const part = { headers: { range: 'bytes=10-24' } };
      const { status, headers, body, time } = await timed('/range/15000?duration=300', part);
      expect([status, headers['content-length']]).toEqual([206, '15']);
      expect(body.toString()).toBe(letters(10, 24));
      expect(time).toBeGreaterThan(299.9);
    });

    test('several ranges are spread together with their part headers', async () => {
      const parts = { headers: { range: 'bytes=0-1,-2' } };
      const { status, headers, body, time } = await timed(
        '/range/100?duration=0.2&chunk_size=1',
        parts,
      );
      expect([status, headers['content-length']]).toEqual([206, String(body.length)]);
      expect(body.toString()).toContain('\r\n\r\nab\r\n');
      expect(time).toBeGreaterThan(199.9);
    });

    test.each([
      ['/range/0?duration=300', {}, 'GET', 200],
      ['/range/100?duration=300', {}, 'HEAD', 200],
      ['/range/100?duration=300', { 'if-none-match': '*' }, 'GET', 304],
      ['/range/100?duration=300', { range: 'bytes=100-' }, 'GET', 416],
      ['/range/100?duration=0&chunk_size=1', {}, 'GET', 200],
    ])('%s with %j by %s does not wait', async (target, headers, method, expected) => {
      expect((await timed(target, { headers: { ...headers }, method })).status).toBe(expected);
    });
  });
});
