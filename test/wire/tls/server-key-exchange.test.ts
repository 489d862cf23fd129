import { expect, test } from 'vitest';
import { TlsVersion } from '../../../src/wire/tls/record.ts';
import { parseServerKeyExchange } from '../../../src/wire/tls/server-key-exchange.ts';

const { tls11, tls12 } = TlsVersion;
const POINT = '03 001d 02 aabb';

test.each([
  ['TLS 1.2', `${POINT} 0403 0001 cc`, tls12, { group: 0x1d, signatureScheme: 0x0403 }],
  ['TLS 1.1', `${POINT} 0001 cc`, tls11, { group: 0x1d, signatureScheme: undefined }],
  ['an anonymous server', POINT, tls12, { group: 0x1d, signatureScheme: undefined }],
  ['an explicit curve', `01${POINT.slice(2)} 0403 0001 cc`, tls12, undefined],
  ['DHE', '0001 05 0001 02 0001 04 0401 0001 cc', tls12, undefined],
  ['a truncated signature', `${POINT} 0403 0002 cc`, tls12, undefined],
  ['a byte too many', `${POINT} 0403 0001 cc00`, tls12, undefined],
])('%s', (_name, hex, version, expected) => {
  const body = Buffer.from(hex.replaceAll(' ', ''), 'hex');
  expect(parseServerKeyExchange(body, version)).toEqual(expected);
});
