import { expect, test } from 'vitest';
import { overBothProtocols, overOneProtocol } from '../_everywhere.ts';
import { exchange, GET, LAST } from '../_raw.ts';
import { expectRefused } from '../_refusal.ts';

const MAX = 10 * 1024 * 1024;

overBothProtocols(({ client, transport }) => {
  test.each([0, 1, 10_240, 10_241, 102_400, MAX])('%d bytes without Content-Length', async (n) => {
    const { status, headers, body } = await client().request(`/stream-bytes/${n}`);
    expect(status).toBe(200);
    expect(headers['content-type']).toBe('application/octet-stream');
    expect(headers['content-length']).toBeUndefined();
    expect(headers['transfer-encoding']).toBe(transport.endsWith('1.1') ? 'chunked' : undefined);
    expect(body).toHaveLength(n);
  });
});

overOneProtocol(({ client, running }) => {
  const get = (target: string) => client().request(target);

  test('no two responses share bytes', async () => {
    const [one, other] = await Promise.all([get('/stream-bytes/1000'), get('/stream-bytes/1000')]);
    expect(one.body.equals(other.body)).toBe(false);
  });

  test.each([
    [9000, 1],
    [70_000, 7],
    [70_000, 10_240],
    [70_000, 65_536],
  ])('with a seed the %d bytes of /bytes, in chunks of %d', async (length, size) => {
    const [bytes, streamed] = await Promise.all([
      get(`/bytes/${length}?seed=42`),
      get(`/stream-bytes/${length}?seed=42&chunk_size=${size}`),
    ]);
    expect(streamed.body.equals(bytes.body)).toBe(true);
  });

  test.each([
    [10, 4, [4, 4, 2]],
    [8, 4, [4, 4]],
    [100, 65_536, [100]],
    [140_000, 65_536, [65_536, 65_536, 8928]],
  ])('RFC 9112 7.1: %d bytes in chunks of %d', async (n, size, sizes) => {
    const target = `/stream-bytes/${n}?chunk_size=${size}`;
    const answer = await exchange(running().port, GET(target, LAST));
    const found: number[] = [];
    let at = answer.indexOf('\r\n\r\n') + 4;
    for (;;) {
      const end = answer.indexOf('\r\n', at);
      const length = Number.parseInt(answer.slice(at, end), 16);
      if (length === 0) break;
      found.push(length);
      at = end + 2 + length + 2;
    }
    expect(answer.slice(at)).toBe('0\r\n\r\n');
    expect(found).toEqual(sizes);
  });

  test('more than 102,400 chunks are refused', async () => {
    const detail =
      'chunk_size=1 makes 102401 chunks of n=102401, which exceeds the maximum of 102400';
    await expectRefused(client(), '/stream-bytes/102401?chunk_size=1', detail);
  });
});
