/** Makes PROXY headers of version 2, sound and not, for the tests. */

const SIGNATURE = Buffer.from('\r\n\r\n\0\r\nQUIT\n', 'latin1');

export interface V2 {
  /** Version and command; 0x21 is version 2, PROXY. */
  readonly command?: number;
  /** Family and transport; 0x11 is TCP over IPv4. */
  readonly family?: number;
  readonly addresses?: Uint8Array;
  readonly tlvs?: readonly Uint8Array[];
  /** Instead of the bytes that follow. */
  readonly length?: number;
}

/** The bytes of 192.0.2.1, port 1111, to 198.51.100.2, port 443. */
export const INET = Buffer.from([192, 0, 2, 1, 198, 51, 100, 2, 4, 87, 1, 187]);

/** The bytes of 2001:db8::1, port 1111, to 2001:db8::2, port 443. */
export const INET6 = Buffer.from(
  `20010db8${'0'.repeat(23)}120010db8${'0'.repeat(23)}2045701bb`,
  'hex',
);

export function v2({
  command = 0x21,
  family = 0x11,
  addresses = INET,
  tlvs = [],
  length,
}: V2 = {}): Buffer {
  const block = Buffer.concat([addresses, ...tlvs]);
  const fixed = Buffer.from([command, family, 0, 0]);
  fixed.writeUInt16BE(length ?? block.length, 2);
  return Buffer.concat([SIGNATURE, fixed, block]);
}

/** A TLV; a string is latin1. */
export function tlv(type: number, value: string | Uint8Array, length?: number): Buffer {
  const content = typeof value === 'string' ? Buffer.from(value, 'latin1') : value;
  const head = Buffer.from([type, 0, 0]);
  head.writeUInt16BE(length ?? content.length, 1);
  return Buffer.concat([head, content]);
}

/** A header of version 1. */
export const V1 = Buffer.from('PROXY TCP4 192.0.2.1 198.51.100.2 1111 443\r\n', 'latin1');
