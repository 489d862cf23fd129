import { ContentType } from './record-reader.ts';

/** AlertDescription (RFC 8446 B.2, RFC 5246 A.3). */
const alerts: Readonly<Record<number, string>> = {
  0: 'close_notify',
  10: 'unexpected_message',
  20: 'bad_record_mac',
  21: 'decryption_failed',
  22: 'record_overflow',
  30: 'decompression_failure',
  40: 'handshake_failure',
  42: 'bad_certificate',
  43: 'unsupported_certificate',
  44: 'certificate_revoked',
  45: 'certificate_expired',
  46: 'certificate_unknown',
  47: 'illegal_parameter',
  48: 'unknown_ca',
  49: 'access_denied',
  50: 'decode_error',
  51: 'decrypt_error',
  70: 'protocol_version',
  71: 'insufficient_security',
  80: 'internal_error',
  86: 'inappropriate_fallback',
  90: 'user_canceled',
  100: 'no_renegotiation',
  109: 'missing_extension',
  110: 'unsupported_extension',
  112: 'unrecognized_name',
  113: 'bad_certificate_status_response',
  115: 'unknown_psk_identity',
  116: 'certificate_required',
  120: 'no_application_protocol',
};

/** HandshakeType (RFC 8446 B.3, RFC 5246 A.4). */
const handshakeTypes: Readonly<Record<number, string>> = {
  0: 'hello_request',
  1: 'client_hello',
  2: 'server_hello',
  4: 'new_session_ticket',
  5: 'end_of_early_data',
  8: 'encrypted_extensions',
  11: 'certificate',
  12: 'server_key_exchange',
  13: 'certificate_request',
  14: 'server_hello_done',
  15: 'certificate_verify',
  16: 'client_key_exchange',
  20: 'finished',
  22: 'certificate_status',
  24: 'key_update',
};

/** ContentType (RFC 8446 B.1). */
const recordTypes: Readonly<Record<number, string>> = {
  [ContentType.changeCipherSpec]: 'change_cipher_spec',
  [ContentType.alert]: 'alert',
  [ContentType.handshake]: 'handshake',
  [ContentType.applicationData]: 'application_data',
  [ContentType.heartbeat]: 'heartbeat',
};

export const alertName = (code: number): string => alerts[code] ?? String(code);
export const handshakeTypeName = (type: number): string => handshakeTypes[type] ?? String(type);
export const recordTypeName = (type: number): string => recordTypes[type] ?? String(type);
