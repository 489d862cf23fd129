import * as fc from 'fast-check';
import { crc32c } from '../../../src/wire/proxy-protocol/crc32c.ts';
import { INET6, tlv, v2, V1 } from '../../_proxy.ts';
import { mutations } from '../../fuzz/mutations.ts';

const FIXED = 16;

/** Corrects the length of a version 2 header, and optionally appends a correct checksum. */
function reframed(header: Buffer, checksum: boolean): Buffer {
  const made = checksum ? Buffer.concat([header, tlv(3, '\0\0\0\0')]) : Buffer.from(header);
  if (made.length < FIXED) return made;
  made.writeUInt16BE(Math.min(made.length - FIXED, 0xffff), 14);
  if (checksum) made.writeUInt32BE(crc32c(made), made.length - 4);
  return made;
}

const SSL = Buffer.concat([
  Buffer.from([1, 0, 0, 0, 0]),
  tlv(0x21, 'TLSv1.3'),
  tlv(0x22, 'a.example'),
]);
const validHeaders = [
  V1,
  Buffer.from('PROXY TCP6 2001:db8::1 2001:db8::2 1111 443\r\n'),
  Buffer.from('PROXY UNKNOWN\r\n'),
  v2(),
  reframed(v2({ tlvs: [tlv(1, 'h2')] }), true),
  v2({ command: 0x20, family: 0, addresses: Buffer.alloc(0) }),
  v2({ family: 0x21, addresses: INET6, tlvs: [tlv(1, 'h2'), tlv(2, 'a.example'), tlv(5, 'id')] }),
  v2({ family: 0x31, addresses: Buffer.alloc(216, 'x') }),
  v2({ tlvs: [tlv(0x20, SSL), tlv(0x30, 'ns'), tlv(4, '\0\0'), tlv(0xea, '\x01vpce')] }),
];

const TOKENS = ['\r\n', ' ', 'TCP6 ', '\x21', '\0\0', '\xff'];

/** Headers that are valid, or nearly. */
export const garbled = fc
  .tuple(mutations(fc.constantFrom(...validHeaders), TOKENS), fc.boolean(), fc.boolean())
  // With a correct length and checksum, the mutations reach deeper.
  .map(([bytes, fits, checksum]) => (fits ? reframed(bytes, checksum) : bytes));
