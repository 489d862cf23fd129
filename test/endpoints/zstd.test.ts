import * as zlib from 'node:zlib';
import { expect, test } from 'vitest';
import { parsed } from '../_echo.ts';
import { overOneProtocol } from '../_everywhere.ts';
import { echoesCoded } from './_coded.ts';

function hasZstd(
  module: object,
): module is { readonly zstdDecompressSync: (bytes: Uint8Array) => Buffer } {
  return 'zstdDecompressSync' in module;
}

// RFC 8878.
if (hasZstd(zlib)) echoesCoded('/zstd', 'zstd', zlib.zstdDecompressSync);
else {
  overOneProtocol(({ client }) => {
    test('501 with a reason if Node has no zstd', async () => {
      const received = await client().request('/zstd');
      expect(received.status).toBe(501);
      expect(parsed(received)).toMatchObject({
        type: '/problems/not-implemented',
        detail: 'zstd requires Node 22.15 or later',
      });
    });
  });
}
