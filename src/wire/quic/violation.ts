import type { ErrorCode } from './names.ts';

/** Names of the transport errors that a violation may be. */
export type TransportErrorName = Exclude<
  keyof typeof ErrorCode,
  'NO_ERROR' | 'CONNECTION_REFUSED' | 'APPLICATION_ERROR' | 'NO_VIABLE_PATH'
>;

/** A rule of QUIC that the peer has broken. It ends the connection, as every transport error does (RFC 9000 11.1). */
export interface Violation {
  readonly reason: string;
  /** The broken rule, such as `RFC 9000 4.5`. */
  readonly section: string;
  /** The error code that the section prescribes. */
  readonly code: TransportErrorName;
}

export const violation = (
  section: string,
  reason: string,
  code: TransportErrorName = 'PROTOCOL_VIOLATION',
): Violation => ({ reason, section, code });
