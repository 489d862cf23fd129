import { cryptoError, ErrorCode } from '../../wire/quic/names.ts';
import type { TransportErrorName, Violation } from '../../wire/quic/violation.ts';

/** Why a handshake has failed. */
export interface HandshakeFailure {
  readonly reason: string;
  /** The broken rule, such as `RFC 9846 4.3.8`. */
  readonly section: string;
  /** Transport error code (RFC 9000 20.1); that of an alert is CRYPTO_ERROR (RFC 9001 4.8). */
  readonly code: number;
}

/** AlertDescription (RFC 9846 6) of the alerts that are sent. */
export const Alert = {
  unexpected_message: 10,
  handshake_failure: 40,
  bad_certificate: 42,
  unsupported_certificate: 43,
  certificate_expired: 45,
  certificate_unknown: 46,
  illegal_parameter: 47,
  unknown_ca: 48,
  decode_error: 50,
  decrypt_error: 51,
  protocol_version: 70,
  missing_extension: 109,
  unsupported_extension: 110,
  no_application_protocol: 120,
} as const;
export type AlertName = keyof typeof Alert;

/** Thrown where a broken rule is found. `receive` of the handshake catches and returns it. */
export class HandshakeError extends Error implements HandshakeFailure {
  readonly section: string;
  readonly code: number;

  constructor(code: number, section: string, reason: string) {
    super(reason);
    this.code = code;
    this.section = section;
  }

  get reason(): string {
    return this.message;
  }
}

export const alertError = (alert: AlertName, section: string, reason: string): HandshakeError =>
  new HandshakeError(cryptoError(Alert[alert]), section, reason);

export const transportError = (
  code: TransportErrorName,
  section: string,
  reason: string,
): HandshakeError => new HandshakeError(ErrorCode[code], section, reason);

export const violationError = ({ code, section, reason }: Violation): HandshakeError =>
  transportError(code, section, reason);

export const decodeError = (section: string, message: string): HandshakeError =>
  alertError('decode_error', section, `${message} cannot be decoded`);
