import { expect, test } from 'vitest';
import { crc32c } from '../../../src/wire/proxy-protocol/crc32c.ts';

// RFC 3720 B.4, and the check value from CRC catalogues.
test.each<[name: string, bytes: Uint8Array, crc: number]>([
  ['nothing', new Uint8Array(0), 0],
  ['123456789', Buffer.from('123456789'), 0xe306_9283],
  ['32 bytes of zeros', new Uint8Array(32), 0x8a91_36aa],
  ['32 bytes of ones', new Uint8Array(32).fill(0xff), 0x62a8_ab43],
  ['0 to 31', Uint8Array.from({ length: 32 }, (_, at) => at), 0x46dd_794e],
  ['31 to 0', Uint8Array.from({ length: 32 }, (_, at) => 31 - at), 0x113f_db5c],
])('%s', (_, bytes, crc) => {
  expect(crc32c(bytes)).toBe(crc);
});
