import * as zlib from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { encodeZstdWithChecksum } from '../../../src/http/codings.ts';
import { damaged } from '../../../src/endpoints/respond/damage.ts';
import { everywhere, overOneProtocol } from '../../_everywhere.ts';

const TEXT = 'line 0000000001\n'.repeat(1000);
/** A decoder that refuses damaged content, and one that takes what there is. */
const DECODERS = {
  gzip: [zlib.gunzipSync, zlib.constants.Z_SYNC_FLUSH],
  deflate: [zlib.inflateSync, zlib.constants.Z_SYNC_FLUSH],
  br: [zlib.brotliDecompressSync, zlib.constants.BROTLI_OPERATION_FLUSH],
} as const;
type Decoded = keyof typeof DECODERS;
const CODINGS: readonly Decoded[] = ['gzip', 'deflate', 'br'];

everywhere(({ client }) => {
  const ask = async (coding: string, damage: string) => {
    const { status, headers, body } = await client().request('/respond', {
      method: 'POST',
      body: JSON.stringify({ body: TEXT, encoding: coding, damage }),
    });
    expect(status).toBe(200);
    expect(headers['content-encoding']).toBe(coding);
    expect(headers['content-length']).toBe(String(body.length));
    return body;
  };

  describe.each(CODINGS)('%s', (coding) => {
    const [decode, finishFlush] = DECODERS[coding];

    test('truncated: half of it', async () => {
      const body = await ask(coding, 'truncated');
      expect(() => decode(body)).toThrow('unexpected end of file');
      const part = decode(body, { finishFlush }).toString();
      expect(part.length).toBeLessThan(TEXT.length);
      expect(TEXT.startsWith(part)).toBe(true);
    });

    test('trailing: bytes after the end', async () => {
      const body = await ask(coding, 'trailing');
      expect(body.subarray(-8).toString()).toBe('trailing');
      expect(decode(body.subarray(0, -8)).toString()).toBe(TEXT);
    });

    test('not-coded: the content itself', async () => {
      expect((await ask(coding, 'not-coded')).toString()).toBe(TEXT);
    });

    if (coding !== 'br') {
      test('checksum: all is there, but the checksum differs', async () => {
        const body = await ask(coding, 'checksum');
        expect(() => decode(body)).toThrow('incorrect data check');
        const end = coding === 'gzip' ? -8 : -4;
        expect(decode(body.subarray(0, end), { finishFlush }).toString()).toBe(TEXT);
      });
    }
  });
});

overOneProtocol(({ client }) => {
  test.each([
    ['body=a&damage=truncated', 'damage needs encoding'],
    ['damage=truncated&encoding=gzip', 'encoding needs content'],
    ['body=a&encoding=br&damage=checksum', 'damage=checksum contradicts encoding=br'],
    ['body=a&encoding=gzip&damage=crc', 'damage=crc is not one of truncated, trailing, checksum,'],
    ['body=a&encoding=gzip&damge=truncated', 'did you mean damage?'],
    ['status=204&encoding=gzip&damage=truncated', 'encoding needs content'],
  ])('%s: 400', async (query, detail) => {
    const { status, body } = await client().request(`/respond?${query}`);
    expect([status, body.toString()]).toEqual([400, expect.stringContaining(detail)]);
  });
});

test('the checksum of zstd is the last four bytes', () => {
  const changed = damaged(Buffer.from('abcdefgh'), Buffer.alloc(0), 'zstd', 'checksum');
  expect(Buffer.from(changed).toString('latin1')).toBe('abcd\x9afgh');
});

test.skipIf(!encodeZstdWithChecksum)('a changed checksum of zstd is refused', async () => {
  const plain = Buffer.from(TEXT);
  const encoded = await encodeZstdWithChecksum?.(plain);
  const decode: unknown = Reflect.get(zlib, 'zstdDecompressSync');
  if (!encoded || typeof decode !== 'function') throw new Error('there is no zstd');
  expect(String(decode(encoded))).toBe(TEXT);
  expect(() => void decode(damaged(encoded, plain, 'zstd', 'checksum'))).toThrow();
  // Node 22 does not tell that the end is missing.
  const half = damaged(encoded, plain, 'zstd', 'truncated');
  expect(half).toEqual(encoded.subarray(0, Math.floor(encoded.length / 2)));
});
