import { QuicVersion } from './names.ts';

/** Packets that are protected, and carry frames (RFC 9000 17). */
export type ProtectedKind = LongKind | '1-rtt';
/** Protected packets with a long header. */
export type LongKind = 'initial' | '0-rtt' | 'handshake';

/** A packet in a datagram. Connection IDs and tokens are views of the datagram. */
export type Packet =
  | LongPacket
  | ShortPacket
  | RetryPacket
  | VersionNegotiationPacket
  | UnknownVersionPacket
  | InvalidPacket;

interface Extent {
  /** Offset of its first byte in the datagram. */
  readonly start: number;
  /** Offset after its last byte. */
  readonly end: number;
}

interface LongHeader extends Extent {
  readonly destinationId: Buffer;
  readonly sourceId: Buffer;
}

/** Initial, 0-RTT and Handshake packets (RFC 9000 17.2.2 to 17.2.4). */
export interface LongPacket extends LongHeader {
  readonly kind: LongKind;
  readonly version: QuicVersion;
  /** Empty without one, as in all packets but Initial. */
  readonly token: Buffer;
  /** Offset of the protected packet number in the datagram. */
  readonly numberOffset: number;
}

/** 1-RTT packets (RFC 9000 17.3.1). */
export interface ShortPacket extends Extent {
  readonly kind: '1-rtt';
  readonly destinationId: Buffer;
  readonly numberOffset: number;
}

/** RFC 9000 17.2.5. */
export interface RetryPacket extends LongHeader {
  readonly kind: 'retry';
  readonly version: QuicVersion;
  readonly token: Buffer;
}

/** RFC 8999 6. */
export interface VersionNegotiationPacket extends LongHeader {
  readonly kind: 'version-negotiation';
  /** In order, including reserved ones. */
  readonly versions: readonly number[];
}

/** A long header of another version, of which only the invariants are read (RFC 8999 5.1). It takes the rest of the datagram. */
export interface UnknownVersionPacket extends LongHeader {
  readonly kind: 'unknown-version';
  readonly version: number;
}

/** Bytes that must be discarded without a response. */
export interface InvalidPacket extends Extent {
  readonly kind: 'invalid';
  readonly reason: InvalidPacketReason;
}

/** Why bytes of a datagram are discarded. */
export type InvalidPacketReason =
  /** The header or the packet ends after the datagram. */
  | 'truncated'
  /** The Fixed Bit is 0 (RFC 9000 17.2, 17.3). */
  | 'fixed-bit'
  /** A connection ID of more than 20 bytes (RFC 9000 17.2). */
  | 'connection-id-length'
  /** Too short for the sample of header protection (RFC 9001 5.4.2). */
  | 'too-short'
  /** Version Negotiation without versions, or with half of one (RFC 8999 6). */
  | 'versions'
  /** A Retry without a token (RFC 9000 17.2.5.2). */
  | 'token'
  /** Coalesced with a packet for another connection ID (RFC 9000 12.2). */
  | 'other-connection-id';

/** Bits of the first byte (RFC 9000 17). */
export const FirstByte = {
  longHeader: 0x80,
  fixed: 0x40,
  type: 0x30,
  /** In short headers. The bits below it are protected. */
  spin: 0x20,
  reservedShort: 0x18,
  keyPhase: 0x04,
  reservedLong: 0x0c,
  numberLength: 0x03,
} as const;

/** Maximum bytes of a connection ID in versions 1 and 2 (RFC 9000 17.2). */
export const MAX_CONNECTION_ID = 20;
/** Bytes of the authentication tag of each AEAD (RFC 9001 5.3), and of the Retry Integrity Tag (RFC 9001 5.8). */
export const TAG_LENGTH = 16;
/** Bytes of a Stateless Reset Token (RFC 9000 10.3). */
export const RESET_TOKEN_LENGTH = 16;
/** Bytes from the packet number to the sample of header protection, and of the sample (RFC 9001 5.4.2). */
export const SAMPLE_OFFSET = 4;
export const SAMPLE_LENGTH = 16;

/** Long Packet Types in the order of their values (RFC 9000 17.2, RFC 9369 3.2). */
export const LONG_PACKET_TYPES: Readonly<Record<QuicVersion, readonly (LongKind | 'retry')[]>> = {
  [QuicVersion.v1]: ['initial', '0-rtt', 'handshake', 'retry'],
  [QuicVersion.v2]: ['retry', 'initial', '0-rtt', 'handshake'],
};
