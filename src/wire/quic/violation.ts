/** Names of the transport errors (RFC 9000 20.1, RFC 9368 10.2) that a violation may be. */
export type TransportErrorName =
  | 'INTERNAL_ERROR'
  | 'FLOW_CONTROL_ERROR'
  | 'STREAM_LIMIT_ERROR'
  | 'STREAM_STATE_ERROR'
  | 'FINAL_SIZE_ERROR'
  | 'FRAME_ENCODING_ERROR'
  | 'TRANSPORT_PARAMETER_ERROR'
  | 'CONNECTION_ID_LIMIT_ERROR'
  | 'PROTOCOL_VIOLATION'
  | 'INVALID_TOKEN'
  | 'CRYPTO_BUFFER_EXCEEDED'
  | 'KEY_UPDATE_ERROR'
  | 'AEAD_LIMIT_REACHED'
  | 'VERSION_NEGOTIATION_ERROR';

/** A rule of QUIC that the peer has broken. It ends the connection: no transport error is one of a stream (RFC 9000 11.1). */
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
