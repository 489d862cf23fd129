import { addressBytes, unmapAddress } from '../http/ip-address.ts';

export const TcpFlag = { fin: 0x01, syn: 0x02, rst: 0x04, psh: 0x08, ack: 0x10 } as const;

export interface Segment {
  /** Source. Both addresses must be of the same family: see `addressesOf`. */
  readonly from: { readonly address: Buffer; readonly port: number };
  readonly to: { readonly address: Buffer; readonly port: number };
  readonly sequence: number;
  readonly acknowledgment: number;
  /** Sum of `TcpFlag`s. */
  readonly flags: number;
  readonly data: Buffer;
}

const TCP = 6;
const TCP_HEADER = 20;
const HOP_LIMIT = 64;
const WINDOW = 0xffff;
/**
 * Options of a SYN (RFC 9293 3.2, RFC 7323 2): the largest MSS, and window scaling so that the window is never
 * exceeded, because real acknowledgements are not known.
 */
const SYN_OPTIONS = Buffer.of(2, 4, 0xff, 0xff, 1, 3, 3, 14);

/** The IP packet of a TCP segment, in parts: IP header, TCP header, data. */
export function tcpPacket(segment: Segment): readonly [ip: Buffer, tcp: Buffer, data: Buffer] {
  const { from, to, data } = segment;
  const tcp = tcpHeader(segment);
  const length = tcp.length + data.length;
  const protocol = Buffer.of(0, TCP, length >> 8, length & 0xff);
  tcp.writeUInt16BE(checksum([from.address, to.address, protocol, tcp, data]), 16);
  return [ipHeader(from.address, to.address, length), tcp, data];
}

/** A TCP header (RFC 9293 3.1) without checksum. */
function tcpHeader({ from, to, sequence, acknowledgment, flags }: Segment): Buffer {
  const options = (flags & TcpFlag.syn) === 0 ? Buffer.alloc(0) : SYN_OPTIONS;
  const header = Buffer.concat([Buffer.alloc(TCP_HEADER), options]);
  header.writeUInt16BE(from.port, 0);
  header.writeUInt16BE(to.port, 2);
  header.writeUInt32BE(sequence, 4);
  header.writeUInt32BE(acknowledgment, 8);
  header[12] = (header.length / 4) << 4;
  header[13] = flags;
  header.writeUInt16BE(WINDOW, 14);
  return header;
}

/** An IPv4 (RFC 791 3.1) or IPv6 header (RFC 8200 3). */
function ipHeader(from: Buffer, to: Buffer, length: number): Buffer {
  if (from.length === 4) {
    const header = Buffer.concat([Buffer.alloc(12), from, to]);
    header[0] = 0x45;
    header.writeUInt16BE(header.length + length, 2);
    // Don't Fragment.
    header[6] = 0x40;
    header[8] = HOP_LIMIT;
    header[9] = TCP;
    header.writeUInt16BE(checksum([header]), 10);
    return header;
  }
  const header = Buffer.concat([Buffer.alloc(8), from, to]);
  header[0] = 0x60;
  header.writeUInt16BE(length, 4);
  header[6] = TCP;
  header[7] = HOP_LIMIT;
  return header;
}

/** The Internet checksum (RFC 1071). @param parts each of an even number of bytes, except the last */
function checksum(parts: readonly Buffer[]): number {
  let sum = 0;
  for (const part of parts) {
    const even = part.length & ~1;
    for (let at = 0; at < even; at += 2) sum += ((part[at] ?? 0) << 8) | (part[at + 1] ?? 0);
    if (even < part.length) sum += (part[even] ?? 0) << 8;
  }
  // Two folds are enough for at most 65,535 bytes.
  sum = (sum & 0xffff) + Math.floor(sum / 0x10000);
  sum = (sum & 0xffff) + (sum >>> 16);
  return ~sum & 0xffff;
}

/** Both addresses as bytes: 4 each if both are IPv4 or IPv4-mapped, otherwise 16 each. */
export function addressesOf(one: string, other: string): readonly [Buffer, Buffer] {
  const first = addressBytes(unmapAddress(one));
  const second = addressBytes(unmapAddress(other));
  return first.length === second.length ? [first, second] : [mapped(first), mapped(second)];
}

const mapped = (address: Buffer): Buffer =>
  address.length === 4 ? Buffer.concat([MAPPED, address]) : address;

const MAPPED = Buffer.from([0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff]);
