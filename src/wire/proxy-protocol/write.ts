import { isIPv4 } from 'node:net';
import { addressBytes } from '../../http/ip-address.ts';
import { crc32c } from './crc32c.ts';
import { TlvType } from './tlvs.ts';
import { V2_START } from './version2.ts';

export const PROXY_VERSIONS = ['v1', 'v2'] as const;
export type ProxyVersion = (typeof PROXY_VERSIONS)[number];

/** Addresses in a PROXY header. */
export interface ProxyAddresses {
  /** The client's address. IPv6 must be written in full. */
  readonly source: string;
  readonly sourcePort: number;
}

const DESTINATIONS = { inet: '192.0.2.1', inet6: '2001:db8:0:0:0:0:0:1' } as const;
const DESTINATION_PORT = 443;
/** Version and command byte of PROXY and LOCAL (proxy-protocol.txt 2.2). */
const COMMANDS = { proxy: 0x21, local: 0x20 } as const;

/** A PROXY header for TCP (proxy-protocol.txt 2.1 and 2.2). */
export function proxyHeader(version: ProxyVersion, addresses: ProxyAddresses): Buffer {
  return version === 'v1' ? version1(addresses) : version2(addresses, []);
}

function version1({ source, sourcePort }: ProxyAddresses): Buffer {
  const [family, destination] = isIPv4(source)
    ? ['TCP4', DESTINATIONS.inet]
    : ['TCP6', DESTINATIONS.inet6];
  const line = `PROXY ${family} ${source} ${destination} ${sourcePort} ${DESTINATION_PORT}\r\n`;
  return Buffer.from(line);
}

/** Type and value of a TLV. */
type TlvBytes = readonly [type: number, value: Buffer];

/** A header of version 2 with TLVs. */
export function version2(
  { source, sourcePort }: ProxyAddresses,
  tlvs: readonly TlvBytes[],
): Buffer {
  const [family, destination] = isIPv4(source)
    ? [0x11, DESTINATIONS.inet]
    : [0x21, DESTINATIONS.inet6];
  const ports = Buffer.alloc(4);
  ports.writeUInt16BE(sourcePort, 0);
  ports.writeUInt16BE(DESTINATION_PORT, 2);
  const block = [addressBytes(source), addressBytes(destination), ports];
  return version2Header(COMMANDS.proxy, family, [...block, ...tlvs.map(tlvBytes)]);
}

/** A LOCAL header, for connections of the proxy itself, such as health checks. */
export function localHeader(): Buffer {
  return version2Header(COMMANDS.local, 0, []);
}

/** A version 2 header with a checksum. @param change makes the checksum wrong unless 0 */
export function checksummedHeader(addresses: ProxyAddresses, change = 0): Buffer {
  const header = version2(addresses, [[TlvType.crc32c, Buffer.alloc(4)]]);
  // The checksum is computed with zeros in its place (proxy-protocol.txt 2.2.3).
  header.writeUInt32BE((crc32c(header) ^ change) >>> 0, header.length - 4);
  return header;
}

function version2Header(command: number, family: number, parts: readonly Buffer[]): Buffer {
  const block = Buffer.concat(parts);
  const length = Buffer.alloc(2);
  length.writeUInt16BE(block.length);
  return Buffer.concat([V2_START, Buffer.of(command, family), length, block]);
}

function tlvBytes([type, value]: TlvBytes): Buffer {
  const head = Buffer.of(type, 0, 0);
  head.writeUInt16BE(value.length, 1);
  return Buffer.concat([head, value]);
}
