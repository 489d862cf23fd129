import { FrameType, type Role } from './names.ts';
import type { ProtectedKind } from './packet.ts';

/** Consecutive packet numbers, both ends included. */
export interface AckRange {
  readonly smallest: number;
  readonly largest: number;
}

/** Packets received with each codepoint (RFC 9000 19.3.2). */
export interface EcnCounts {
  readonly ect0: number;
  readonly ect1: number;
  readonly ce: number;
}

/** Streams in one or in both directions (RFC 9000 2.1). */
export type StreamDirection = 'bidi' | 'uni';

/**
 * A frame (RFC 9000 19, RFC 9221 4). Bytes are views of the packet. Offsets, limits and counts above 2^53 - 1 are read as
 * 2^53 - 1, which no connection reaches. Error codes and frame types are exact.
 */
export type Frame =
  | { readonly kind: 'padding'; /** PADDING frames in a row. */ readonly length: number }
  | { readonly kind: 'ping' }
  | {
      readonly kind: 'ack';
      /** The field ACK Delay: microseconds, divided by 2^ack_delay_exponent. */
      readonly delay: number;
      /** In descending order; at least one. */
      readonly ranges: readonly AckRange[];
      readonly ecn: EcnCounts | undefined;
    }
  | {
      readonly kind: 'reset-stream';
      readonly stream: number;
      readonly code: number | bigint;
      readonly finalSize: number;
    }
  | { readonly kind: 'stop-sending'; readonly stream: number; readonly code: number | bigint }
  | { readonly kind: 'crypto'; readonly offset: number; readonly data: Buffer }
  | { readonly kind: 'new-token'; readonly token: Buffer }
  | {
      readonly kind: 'stream';
      readonly stream: number;
      readonly offset: number;
      readonly data: Buffer;
      /** Whether the stream ends after `data`: the FIN bit. */
      readonly isLast: boolean;
    }
  | { readonly kind: 'max-data'; readonly maximum: number }
  | { readonly kind: 'max-stream-data'; readonly stream: number; readonly maximum: number }
  | {
      readonly kind: 'max-streams';
      readonly direction: StreamDirection;
      readonly maximum: number;
    }
  | { readonly kind: 'data-blocked'; readonly maximum: number }
  | { readonly kind: 'stream-data-blocked'; readonly stream: number; readonly maximum: number }
  | {
      readonly kind: 'streams-blocked';
      readonly direction: StreamDirection;
      readonly maximum: number;
    }
  | {
      readonly kind: 'new-connection-id';
      readonly sequence: number;
      readonly retirePriorTo: number;
      readonly connectionId: Buffer;
      /** Stateless Reset Token of 16 bytes. */
      readonly resetToken: Buffer;
    }
  | { readonly kind: 'retire-connection-id'; readonly sequence: number }
  | { readonly kind: 'path-challenge'; /** 8 bytes. */ readonly data: Buffer }
  | { readonly kind: 'path-response'; /** 8 bytes. */ readonly data: Buffer }
  | {
      readonly kind: 'connection-close';
      /** A transport error code (RFC 9000 20.1). */
      readonly code: number | bigint;
      /** Type of the frame that was the reason; 0 if it is not known. */
      readonly frameType: number | bigint;
      /** UTF-8, which is not checked. */
      readonly reason: Buffer;
    }
  | {
      readonly kind: 'application-close';
      /** An error code of the application protocol. */
      readonly code: number | bigint;
      readonly reason: Buffer;
    }
  | { readonly kind: 'handshake-done' }
  | { readonly kind: 'datagram'; readonly data: Buffer };

/** Frames of a kind. */
export type FrameOf<Kind extends Frame['kind']> = Extract<Frame, { readonly kind: Kind }>;

/** Whether the peer must acknowledge a packet with the frame (RFC 9000 13.2, RFC 9221 5.2). */
export function isAckEliciting({ kind }: Frame): boolean {
  switch (kind) {
    case 'ack':
    case 'padding':
    case 'connection-close':
    case 'application-close':
      return false;
    default:
      return true;
  }
}

/** Whether the frame may be sent on a path before the peer migrates to it (RFC 9000 9.1). */
export function isProbing({ kind }: Frame): boolean {
  switch (kind) {
    case 'padding':
    case 'new-connection-id':
    case 'path-challenge':
    case 'path-response':
      return true;
    default:
      return false;
  }
}

/** The rules of a frame type that do not depend on the connection. */
export interface FrameRule {
  /** The section that defines it. */
  readonly section: string;
  /** Packets that may contain it: I, H, 0 and 1 as in RFC 9000 12.4, table 3. */
  readonly packets: string;
  /** The only role that may send it; undefined if both may. */
  readonly sender?: Role;
}

const LETTERS: Readonly<Record<ProtectedKind, string>> = {
  initial: 'I',
  handshake: 'H',
  '0-rtt': '0',
  '1-rtt': '1',
};

/** Whether a frame may be in a packet (RFC 9000 12.4). */
export const isAllowedIn = ({ packets }: FrameRule, packet: ProtectedKind): boolean =>
  packets.includes(LETTERS[packet]);

const STREAM_RULE: FrameRule = { section: 'RFC 9000 19.8', packets: '01' };

/** Rules by frame type (RFC 9000 12.4, table 3; RFC 9221 4). */
export const frameRules: Readonly<Record<number, FrameRule>> = {
  [FrameType.padding]: { section: 'RFC 9000 19.1', packets: 'IH01' },
  [FrameType.ping]: { section: 'RFC 9000 19.2', packets: 'IH01' },
  [FrameType.ack]: { section: 'RFC 9000 19.3', packets: 'IH1' },
  [FrameType.ackEcn]: { section: 'RFC 9000 19.3', packets: 'IH1' },
  [FrameType.resetStream]: { section: 'RFC 9000 19.4', packets: '01' },
  [FrameType.stopSending]: { section: 'RFC 9000 19.5', packets: '01' },
  [FrameType.crypto]: { section: 'RFC 9000 19.6', packets: 'IH1' },
  [FrameType.newToken]: { section: 'RFC 9000 19.7', packets: '1', sender: 'server' },
  [FrameType.stream]: STREAM_RULE,
  0x09: STREAM_RULE,
  0x0a: STREAM_RULE,
  0x0b: STREAM_RULE,
  0x0c: STREAM_RULE,
  0x0d: STREAM_RULE,
  0x0e: STREAM_RULE,
  0x0f: STREAM_RULE,
  [FrameType.maxData]: { section: 'RFC 9000 19.9', packets: '01' },
  [FrameType.maxStreamData]: { section: 'RFC 9000 19.10', packets: '01' },
  [FrameType.maxStreamsBidi]: { section: 'RFC 9000 19.11', packets: '01' },
  [FrameType.maxStreamsUni]: { section: 'RFC 9000 19.11', packets: '01' },
  [FrameType.dataBlocked]: { section: 'RFC 9000 19.12', packets: '01' },
  [FrameType.streamDataBlocked]: { section: 'RFC 9000 19.13', packets: '01' },
  [FrameType.streamsBlockedBidi]: { section: 'RFC 9000 19.14', packets: '01' },
  [FrameType.streamsBlockedUni]: { section: 'RFC 9000 19.14', packets: '01' },
  [FrameType.newConnectionId]: { section: 'RFC 9000 19.15', packets: '01' },
  [FrameType.retireConnectionId]: { section: 'RFC 9000 19.16', packets: '01' },
  [FrameType.pathChallenge]: { section: 'RFC 9000 19.17', packets: '01' },
  [FrameType.pathResponse]: { section: 'RFC 9000 19.18', packets: '1' },
  [FrameType.connectionClose]: { section: 'RFC 9000 19.19', packets: 'IH01' },
  [FrameType.applicationClose]: { section: 'RFC 9000 19.19', packets: '01' },
  [FrameType.handshakeDone]: { section: 'RFC 9000 19.20', packets: '1', sender: 'server' },
  [FrameType.datagram]: { section: 'RFC 9221 4', packets: '01' },
  [FrameType.datagramWithLength]: { section: 'RFC 9221 4', packets: '01' },
};

/** The bits FIN, LEN and OFF in the type of STREAM frames (RFC 9000 19.8). */
export const StreamFlag = { fin: 0x01, length: 0x02, offset: 0x04 } as const;

/** Bytes of the data of PATH_CHALLENGE and PATH_RESPONSE (RFC 9000 19.17, 19.18). */
export const PATH_DATA_LENGTH = 8;
