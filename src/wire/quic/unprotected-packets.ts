import { createCipheriv, randomBytes } from 'node:crypto';
import { QuicVersion } from './names.ts';
import {
  FirstByte,
  LONG_PACKET_TYPES,
  RESET_TOKEN_LENGTH,
  TAG_LENGTH,
  type RetryPacket,
} from './packet.ts';

// Packets that no connection protects: Version Negotiation, Retry and Stateless Reset.

/**
 * A Version Negotiation packet (RFC 9000 17.2.1).
 *
 * @param destinationId the Source Connection ID of the packet that it answers
 * @param sourceId the Destination Connection ID of that packet
 */
export function versionNegotiation(
  destinationId: Uint8Array,
  sourceId: Uint8Array,
  versions: readonly number[],
): Buffer {
  const first = FirstByte.longHeader | FirstByte.fixed | (randomByte() & 0x3f);
  const list = Buffer.alloc(4 * versions.length);
  versions.forEach((version, at) => list.writeUInt32BE(version, 4 * at));
  return Buffer.concat([longHeader(first, 0, destinationId, sourceId), list]);
}

export interface Retry {
  readonly version: QuicVersion;
  /** The Source Connection ID of the client's Initial packet. */
  readonly destinationId: Uint8Array;
  /** Chosen by the server; not the Destination Connection ID of the client's Initial packet. */
  readonly sourceId: Uint8Array;
  readonly token: Uint8Array;
}

/** A Retry packet (RFC 9000 17.2.5). @param originalId the Destination Connection ID of the client's Initial packet */
export function retry(fields: Retry, originalId: Uint8Array): Buffer {
  const { version, destinationId, sourceId, token } = fields;
  const type = LONG_PACKET_TYPES[version].indexOf('retry') << 4;
  // The last four bits are unused. The samples of RFC 9001 A.4 and RFC 9369 A.4 have them set.
  const first = FirstByte.longHeader | FirstByte.fixed | type | 0x0f;
  const packet = Buffer.concat([longHeader(first, version, destinationId, sourceId), token]);
  return Buffer.concat([packet, retryTag(version, originalId, packet)]);
}

/** Whether the Retry Integrity Tag of a packet is valid (RFC 9001 5.8). @param originalId as for `retry` */
export function isAuthenticRetry(
  datagram: Buffer,
  { version, start, end }: RetryPacket,
  originalId: Uint8Array,
): boolean {
  const tagAt = end - TAG_LENGTH;
  const tag = retryTag(version, originalId, datagram.subarray(start, tagAt));
  // Anybody who has seen the Initial packet can compute the tag, so the comparison need not take constant time.
  return tag.equals(datagram.subarray(tagAt, end));
}

/** Keys and nonces of the Retry Integrity Tag (RFC 9001 5.8, RFC 9369 3.3.3). */
const RETRY_KEYS: Readonly<Record<QuicVersion, { readonly key: Buffer; readonly nonce: Buffer }>> =
  {
    [QuicVersion.v1]: {
      key: Buffer.from('be0c690b9f66575a1d766b54e368c84e', 'hex'),
      nonce: Buffer.from('461599d35d632bf2239825bb', 'hex'),
    },
    [QuicVersion.v2]: {
      key: Buffer.from('8fb4b01b56ac48e260fbcbcead7ccc92', 'hex'),
      nonce: Buffer.from('d86969bc2d7c6d9990efb04a', 'hex'),
    },
  };

/** @param packet all of it but the tag */
function retryTag(version: QuicVersion, originalId: Uint8Array, packet: Uint8Array): Buffer {
  const { key, nonce } = RETRY_KEYS[version];
  const cipher = createCipheriv('aes-128-gcm', key, nonce);
  cipher.setAAD(Buffer.concat([Buffer.of(originalId.length), originalId, packet]));
  cipher.final();
  return cipher.getAuthTag();
}

function longHeader(
  first: number,
  version: number,
  destinationId: Uint8Array,
  sourceId: Uint8Array,
): Buffer {
  const start = Buffer.alloc(6);
  start.writeUInt8(first);
  start.writeUInt32BE(version, 1);
  start.writeUInt8(destinationId.length, 5);
  return Buffer.concat([start, destinationId, Buffer.of(sourceId.length), sourceId]);
}

/** Minimum bytes of a Stateless Reset (RFC 9000 10.3). */
export const MIN_STATELESS_RESET = 21;

/** A Stateless Reset (RFC 9000 10.3). @param length in bytes, at least 21; less than that of the packet that it answers */
export function statelessReset(token: Uint8Array, length: number): Buffer {
  const bytes = randomBytes(length - token.length);
  bytes.writeUInt8(FirstByte.fixed | (randomByte() & 0x3f));
  return Buffer.concat([bytes, token]);
}

/** The last 16 bytes of a datagram, which are the token if it is a Stateless Reset; undefined if it is too short for one. */
export function resetTokenOf(datagram: Buffer): Buffer | undefined {
  return datagram.length < MIN_STATELESS_RESET ? undefined : datagram.subarray(-RESET_TOKEN_LENGTH);
}

const randomByte = (): number => randomBytes(1).readUInt8();
