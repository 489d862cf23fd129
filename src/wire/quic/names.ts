import { alertName, hex } from '../tls/names.ts';
import { frameTypes, transportErrorCodes, transportParameters } from './registries.ts';

export type Role = 'client' | 'server';

/** The versions whose packets are read and written here: RFC 9000 and RFC 9369. */
export const QuicVersion = { v1: 1, v2: 0x6b33_43cf } as const;
export type QuicVersion = (typeof QuicVersion)[keyof typeof QuicVersion];

/** Frame types (RFC 9000 19, RFC 9221 4); of STREAM, the one without flags. */
export const FrameType = {
  padding: 0x00,
  ping: 0x01,
  ack: 0x02,
  ackEcn: 0x03,
  resetStream: 0x04,
  stopSending: 0x05,
  crypto: 0x06,
  newToken: 0x07,
  stream: 0x08,
  maxData: 0x10,
  maxStreamData: 0x11,
  maxStreamsBidi: 0x12,
  maxStreamsUni: 0x13,
  dataBlocked: 0x14,
  streamDataBlocked: 0x15,
  streamsBlockedBidi: 0x16,
  streamsBlockedUni: 0x17,
  newConnectionId: 0x18,
  retireConnectionId: 0x19,
  pathChallenge: 0x1a,
  pathResponse: 0x1b,
  connectionClose: 0x1c,
  applicationClose: 0x1d,
  handshakeDone: 0x1e,
  datagram: 0x30,
  datagramWithLength: 0x31,
} as const;

/** Transport error codes (RFC 9000 20.1, RFC 9368 10.2) by name. */
export const ErrorCode = {
  NO_ERROR: 0x00,
  INTERNAL_ERROR: 0x01,
  CONNECTION_REFUSED: 0x02,
  FLOW_CONTROL_ERROR: 0x03,
  STREAM_LIMIT_ERROR: 0x04,
  STREAM_STATE_ERROR: 0x05,
  FINAL_SIZE_ERROR: 0x06,
  FRAME_ENCODING_ERROR: 0x07,
  TRANSPORT_PARAMETER_ERROR: 0x08,
  CONNECTION_ID_LIMIT_ERROR: 0x09,
  PROTOCOL_VIOLATION: 0x0a,
  INVALID_TOKEN: 0x0b,
  APPLICATION_ERROR: 0x0c,
  CRYPTO_BUFFER_EXCEEDED: 0x0d,
  KEY_UPDATE_ERROR: 0x0e,
  AEAD_LIMIT_REACHED: 0x0f,
  NO_VIABLE_PATH: 0x10,
  VERSION_NEGOTIATION_ERROR: 0x11,
} as const;

const CRYPTO_ERROR = 0x100;

/** The code of CRYPTO_ERROR for a TLS alert (RFC 9001 4.8). @param alert from 0 to 255 */
export const cryptoError = (alert: number): number => CRYPTO_ERROR + alert;

/** The TLS alert of a CRYPTO_ERROR; undefined for other codes. */
export function alertOf(code: number | bigint): number | undefined {
  return code >= CRYPTO_ERROR && code < 2 * CRYPTO_ERROR ? Number(code) - CRYPTO_ERROR : undefined;
}

/** Whether packets of a version are read and written here. */
export function isQuicVersion(version: number): version is QuicVersion {
  return version === QuicVersion.v1 || version === QuicVersion.v2;
}

/** Whether a version is reserved to exercise version negotiation: 0x?a?a?a?a (RFC 9000 15). */
export function isReservedVersion(version: number): boolean {
  return (version & 0x0f0f0f0f) === 0x0a0a0a0a;
}

/** Whether a transport parameter is reserved to exercise that unknown ones are ignored: 31 * N + 27 (RFC 9000 18.1). */
export function isReservedParameter(id: number | bigint): boolean {
  return BigInt(id) % 31n === 27n;
}

/** `1`, `2`, or another version as a number in hexadecimal. */
export function quicVersionName(version: number): string {
  switch (version) {
    case QuicVersion.v1:
      return '1';
    case QuicVersion.v2:
      return '2';
    default:
      return isReservedVersion(version) ? 'GREASE' : hex(version, 4);
  }
}

export function transportParameterName(id: number | bigint): string {
  return transportParameters[Number(id)] ?? (isReservedParameter(id) ? 'GREASE' : hex(id, 1));
}

export const quicFrameTypeName = (type: number | bigint): string =>
  frameTypes[Number(type)] ?? hex(type, 1);

/** The name of a transport error code, such as `CRYPTO_ERROR (no_application_protocol)`. */
export function transportErrorName(code: number | bigint): string {
  const alert = alertOf(code);
  if (alert !== undefined) return `CRYPTO_ERROR (${alertName(alert)})`;
  return transportErrorCodes[Number(code)] ?? hex(code, 1);
}
