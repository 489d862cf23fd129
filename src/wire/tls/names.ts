import { isGrease } from './grease.ts';
import { cipherSuites } from './cipher-suites.ts';
import { ContentType } from './record.ts';

// IANA names of what current and older clients offer. Unknown code points are shown as numbers.

type Names = Readonly<Record<number, string>>;

/** Node's names of TLS versions. */
const versions: Names = {
  0x0300: 'SSLv3',
  0x0301: 'TLSv1',
  0x0302: 'TLSv1.1',
  0x0303: 'TLSv1.2',
  0x0304: 'TLSv1.3',
};

const groups: Names = {
  0x0001: 'sect163k1',
  0x0002: 'sect163r1',
  0x0003: 'sect163r2',
  0x0004: 'sect193r1',
  0x0005: 'sect193r2',
  0x0006: 'sect233k1',
  0x0007: 'sect233r1',
  0x0008: 'sect239k1',
  0x0009: 'sect283k1',
  0x000a: 'sect283r1',
  0x000b: 'sect409k1',
  0x000c: 'sect409r1',
  0x000d: 'sect571k1',
  0x000e: 'sect571r1',
  0x000f: 'secp160k1',
  0x0010: 'secp160r1',
  0x0011: 'secp160r2',
  0x0012: 'secp192k1',
  0x0013: 'secp192r1',
  0x0014: 'secp224k1',
  0x0015: 'secp224r1',
  0x0016: 'secp256k1',
  0x0017: 'secp256r1',
  0x0018: 'secp384r1',
  0x0019: 'secp521r1',
  0x001a: 'brainpoolP256r1',
  0x001b: 'brainpoolP384r1',
  0x001c: 'brainpoolP512r1',
  0x001d: 'x25519',
  0x001e: 'x448',
  0x001f: 'brainpoolP256r1tls13',
  0x0020: 'brainpoolP384r1tls13',
  0x0021: 'brainpoolP512r1tls13',
  0x0029: 'curveSM2',
  0x0100: 'ffdhe2048',
  0x0101: 'ffdhe3072',
  0x0102: 'ffdhe4096',
  0x0103: 'ffdhe6144',
  0x0104: 'ffdhe8192',
  0x0200: 'MLKEM512',
  0x0201: 'MLKEM768',
  0x0202: 'MLKEM1024',
  0x11eb: 'SecP256r1MLKEM768',
  0x11ec: 'X25519MLKEM768',
  0x11ed: 'SecP384r1MLKEM1024',
  0x11ee: 'curveSM2MLKEM768',
  0x6399: 'X25519Kyber768Draft00',
  0x639a: 'SecP256r1Kyber768Draft00',
};

/** Post-quantum key exchanges: ML-KEM, alone or combined with a curve. */
const postQuantum = /MLKEM|Kyber/;

/** SignatureSchemes (RFC 9846 4.3.3); those with SHA-224 or DSA are from RFC 5246 7.4.1.4.1. */
const signatureSchemes: Names = {
  0x0201: 'rsa_pkcs1_sha1',
  0x0202: 'dsa_sha1',
  0x0203: 'ecdsa_sha1',
  0x0301: 'rsa_pkcs1_sha224',
  0x0302: 'dsa_sha224',
  0x0303: 'ecdsa_sha224',
  0x0401: 'rsa_pkcs1_sha256',
  0x0402: 'dsa_sha256',
  0x0403: 'ecdsa_secp256r1_sha256',
  0x0420: 'rsa_pkcs1_sha256_legacy',
  0x0501: 'rsa_pkcs1_sha384',
  0x0502: 'dsa_sha384',
  0x0503: 'ecdsa_secp384r1_sha384',
  0x0520: 'rsa_pkcs1_sha384_legacy',
  0x0601: 'rsa_pkcs1_sha512',
  0x0602: 'dsa_sha512',
  0x0603: 'ecdsa_secp521r1_sha512',
  0x0620: 'rsa_pkcs1_sha512_legacy',
  0x0708: 'sm2sig_sm3',
  0x0804: 'rsa_pss_rsae_sha256',
  0x0805: 'rsa_pss_rsae_sha384',
  0x0806: 'rsa_pss_rsae_sha512',
  0x0807: 'ed25519',
  0x0808: 'ed448',
  0x0809: 'rsa_pss_pss_sha256',
  0x080a: 'rsa_pss_pss_sha384',
  0x080b: 'rsa_pss_pss_sha512',
  0x081a: 'ecdsa_brainpoolP256r1tls13_sha256',
  0x081b: 'ecdsa_brainpoolP384r1tls13_sha384',
  0x081c: 'ecdsa_brainpoolP512r1tls13_sha512',
  0x0904: 'mldsa44',
  0x0905: 'mldsa65',
  0x0906: 'mldsa87',
};

/** Names of extensions. Those from 13172 on, except the last two, are unregistered, and used by browsers. */
const extensions: Names = {
  0: 'server_name',
  1: 'max_fragment_length',
  5: 'status_request',
  10: 'supported_groups',
  11: 'ec_point_formats',
  13: 'signature_algorithms',
  14: 'use_srtp',
  15: 'heartbeat',
  16: 'application_layer_protocol_negotiation',
  17: 'status_request_v2',
  18: 'signed_certificate_timestamp',
  19: 'client_certificate_type',
  20: 'server_certificate_type',
  21: 'padding',
  22: 'encrypt_then_mac',
  23: 'extended_master_secret',
  27: 'compress_certificate',
  28: 'record_size_limit',
  34: 'delegated_credential',
  35: 'session_ticket',
  41: 'pre_shared_key',
  42: 'early_data',
  43: 'supported_versions',
  44: 'cookie',
  45: 'psk_key_exchange_modes',
  47: 'certificate_authorities',
  49: 'post_handshake_auth',
  50: 'signature_algorithms_cert',
  51: 'key_share',
  57: 'quic_transport_parameters',
  58: 'ticket_request',
  62: 'tls_flags',
  13172: 'next_protocol_negotiation',
  17513: 'application_settings_old',
  17613: 'application_settings',
  30032: 'channel_id',
  51764: 'trust_anchors',
  65037: 'encrypted_client_hello',
  65281: 'renegotiation_info',
};

const compressionMethods: Names = { 0: 'null', 1: 'DEFLATE', 64: 'LZS' };
const pointFormats: Names = {
  0: 'uncompressed',
  1: 'ansiX962_compressed_prime',
  2: 'ansiX962_compressed_char2',
};
const pskModes: Names = { 0: 'psk_ke', 1: 'psk_dhe_ke' };

/** AlertDescription (RFC 9846 B.2, RFC 5246 A.3). */
const alerts: Names = {
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

/** HandshakeType (RFC 9846 B.3, RFC 5246 A.4). */
const handshakeTypes: Names = {
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

/** ContentType (RFC 9846 B.1). */
const recordTypes: Names = {
  [ContentType.changeCipherSpec]: 'change_cipher_spec',
  [ContentType.alert]: 'alert',
  [ContentType.handshake]: 'handshake',
  [ContentType.applicationData]: 'application_data',
  [ContentType.heartbeat]: 'heartbeat',
};

export const cipherSuiteName = (id: number): string => nameOrHex(cipherSuites, id);
export const versionName = (id: number): string => nameOrHex(versions, id);
export const groupName = (id: number): string => nameOrHex(groups, id);
export const signatureSchemeName = (id: number): string => nameOrHex(signatureSchemes, id);
export const extensionName = (id: number): string => nameOrHex(extensions, id);
export const compressionMethodName = (id: number): string => compressionMethods[id] ?? hex(id, 1);
export const pointFormatName = (id: number): string => pointFormats[id] ?? hex(id, 1);
export const pskModeName = (id: number): string => pskModes[id] ?? hex(id, 1);
export const alertName = (code: number): string => alerts[code] ?? String(code);
export const handshakeTypeName = (type: number): string => handshakeTypes[type] ?? String(type);
export const recordTypeName = (type: number): string => recordTypes[type] ?? String(type);

export function isPostQuantum(group: number): boolean {
  return postQuantum.test(groups[group] ?? '');
}

/** A code point in the format of IANA's registries. @param size in bytes */
export function hex(id: number, size = 2): string {
  return `0x${id
    .toString(16)
    .toUpperCase()
    .padStart(size * 2, '0')}`;
}

function nameOrHex(names: Names, id: number): string {
  return names[id] ?? (isGrease(id) ? 'GREASE' : hex(id));
}
