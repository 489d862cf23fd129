import * as zlib from 'node:zlib';
import { expect, test } from 'vitest';
import { parsed } from '../_echo.ts';
import { overOneProtocol } from '../_everywhere.ts';

function hasZstd(
  module: object,
): module is { readonly zstdDecompressSync: (bytes: Uint8Array) => Buffer } {
  return 'zstdDecompressSync' in module;
}

overOneProtocol(({ client }) => {
  if (hasZstd(zlib)) {
    const { zstdDecompressSync } = zlib;
    test('RFC 8878: the echo in zstd, regardless of Accept-Encoding', async () => {
      const sent = { headers: { 'accept-encoding': 'identity', 'x-large': 'x'.repeat(20_000) } };
      const { status, headers, body } = await client().request('/zstd?x=1', sent);
      expect(status).toBe(200);
      expect(headers).toMatchObject({
        'content-type': 'application/json',
        'content-encoding': 'zstd',
        'content-length': String(body.length),
      });
      expect(body.length).toBeLessThan(20_000);
      const view: unknown = JSON.parse(zstdDecompressSync(body).toString());
      expect(view).toMatchObject({ path: '/zstd', args: { x: '1' }, headers: sent.headers });
    });
  } else {
    test('501 with a reason if Node has no zstd', async () => {
      const received = await client().request('/zstd');
      expect(received.status).toBe(501);
      expect(parsed(received)).toMatchObject({
        type: '/problems/not-implemented',
        detail: 'zstd requires Node 22.15 or later',
      });
    });
  }
});
