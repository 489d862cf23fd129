import { brotliDecompressSync, gunzipSync, inflateSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { overOneProtocol } from '../_everywhere.ts';

const decoders: Record<string, (bytes: Buffer) => Buffer> = {
  br: (bytes) => brotliDecompressSync(bytes),
  gzip: (bytes) => gunzipSync(bytes),
  deflate: (bytes) => inflateSync(bytes),
};

overOneProtocol(({ client }) => {
  test.each([
    [undefined, undefined],
    ['', undefined],
    ['identity', undefined],
    ['gzip, deflate, br', 'br'],
    ['gzip', 'gzip'],
    ['X-GZIP', 'gzip'],
    ['deflate;q=0.9, gzip;q=0.8', 'deflate'],
    ['gzip;q=0.5, identity', undefined],
    ['compress, nonsense', undefined],
  ])('RFC 9110 12.5.3: Accept-Encoding: %s', async (accepted, coding) => {
    const { status, headers, body } = await client().request('/compressed?a=1', {
      headers: accepted === undefined ? {} : { 'accept-encoding': accepted },
    });
    expect(status).toBe(200);
    expect(headers.vary).toBe('Accept-Encoding');
    expect(headers['content-encoding']).toBe(coding);
    expect(headers['content-length']).toBe(String(body.length));
    const text = coding === undefined ? body : decoders[coding]?.(body);
    expect(JSON.parse(String(text))).toMatchObject({ path: '/compressed', args: { a: '1' } });
  });

  const NOTHING_LEFT = ['identity;q=0', '*;q=0', 'compress, *;q=0'];
  test.each(NOTHING_LEFT)('RFC 9110 15.5.7: Accept-Encoding: %s is 406', async (accepted) => {
    const { status, headers, body } = await client().request('/compressed', {
      headers: { 'accept-encoding': accepted },
    });
    expect(status).toBe(406);
    expect(headers.vary).toBe('Accept-Encoding');
    expect(headers['content-encoding']).toBeUndefined();
    expect(body.toString()).toMatch(
      /the available codings are br, (?:zstd, )?gzip, deflate, identity/,
    );
  });

  test('connection=close is honored in each coding', async () => {
    for (const accepted of ['identity', 'gzip']) {
      const headers = { 'accept-encoding': accepted };
      const received = await client().request('/compressed?connection=close', { headers });
      const http1 = received.httpVersion === '1.1';
      expect(received.headers.connection).toBe(http1 ? 'close' : undefined);
    }
  });
});
