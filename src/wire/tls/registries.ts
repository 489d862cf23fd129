// IANA's registries of TLS and of what it uses, each named by its CSV file, without what is unassigned, reserved or for private use.
// `npm run registries` compares them. Remarks beside a name are left out: "(renamed from …)", "(OBSOLETE)", and the
// suffix _RESERVED of what TLS 1.3 does not use (RFC 9846 B).

/** Names by code point. */
export type Names = Readonly<Record<number, string>>;

/** TLS ExtensionType Values (tls-extensiontype-values-1.csv), as of 2026-04-30. */
export const extensions: Names = {
  0: 'server_name',
  1: 'max_fragment_length',
  2: 'client_certificate_url',
  3: 'trusted_ca_keys',
  4: 'truncated_hmac',
  5: 'status_request',
  6: 'user_mapping',
  7: 'client_authz',
  8: 'server_authz',
  9: 'cert_type',
  10: 'supported_groups',
  11: 'ec_point_formats',
  12: 'srp',
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
  23: 'extended_main_secret',
  24: 'token_binding',
  25: 'cached_info',
  26: 'tls_lts',
  27: 'compress_certificate',
  28: 'record_size_limit',
  29: 'pwd_protect',
  30: 'pwd_clear',
  31: 'password_salt',
  32: 'ticket_pinning',
  33: 'tls_cert_with_extern_psk',
  34: 'delegated_credential',
  35: 'session_ticket',
  36: 'TLMSP',
  37: 'TLMSP_proxying',
  38: 'TLMSP_delegate',
  39: 'supported_ekt_ciphers',
  41: 'pre_shared_key',
  42: 'early_data',
  43: 'supported_versions',
  44: 'cookie',
  45: 'psk_key_exchange_modes',
  47: 'certificate_authorities',
  48: 'oid_filters',
  49: 'post_handshake_auth',
  50: 'signature_algorithms_cert',
  51: 'key_share',
  52: 'transparency_info',
  53: 'connection_id (deprecated)',
  54: 'connection_id',
  55: 'external_id_hash',
  56: 'external_session_id',
  57: 'quic_transport_parameters',
  58: 'ticket_request',
  59: 'dnssec_chain',
  60: 'sequence_number_encryption_algorithms',
  61: 'rrc',
  62: 'tls_flags',
  64768: 'ech_outer_extensions',
  65037: 'encrypted_client_hello',
  65281: 'renegotiation_info',
};

/**
 * TLS Supported Groups (tls-parameters-8.csv), as of August 2026: RFC 7027, 7919, 8422, 8734, 8998, 9189, 9846, 10024
 * and the drafts ietf-tls-mlkem, rosomakho-tls-ecdhe-mlkem512 and yang-tls-hybrid-sm2-mlkem.
 */
export const groups: Names = {
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
  0x0022: 'GC256A',
  0x0023: 'GC256B',
  0x0024: 'GC256C',
  0x0025: 'GC256D',
  0x0026: 'GC512A',
  0x0027: 'GC512B',
  0x0028: 'GC512C',
  0x0029: 'curveSM2',
  0x0100: 'ffdhe2048',
  0x0101: 'ffdhe3072',
  0x0102: 'ffdhe4096',
  0x0103: 'ffdhe6144',
  0x0104: 'ffdhe8192',
  0x0200: 'MLKEM512',
  0x0201: 'MLKEM768',
  0x0202: 'MLKEM1024',
  0x11e9: 'SecP256r1MLKEM512',
  0x11ea: 'MLKEM512X25519',
  0x11eb: 'SecP256r1MLKEM768',
  0x11ec: 'X25519MLKEM768',
  0x11ed: 'SecP384r1MLKEM1024',
  0x11ee: 'curveSM2MLKEM768',
  0x6399: 'X25519Kyber768Draft00',
  0x639a: 'SecP256r1Kyber768Draft00',
  0xff01: 'arbitrary_explicit_prime_curves',
  0xff02: 'arbitrary_explicit_char2_curves',
};

/** TLS SignatureScheme (tls-signaturescheme.csv), as of 2026-04-30. */
export const signatureSchemes: Names = {
  0x0201: 'rsa_pkcs1_sha1',
  0x0203: 'ecdsa_sha1',
  0x0401: 'rsa_pkcs1_sha256',
  0x0403: 'ecdsa_secp256r1_sha256',
  0x0420: 'rsa_pkcs1_sha256_legacy',
  0x0501: 'rsa_pkcs1_sha384',
  0x0503: 'ecdsa_secp384r1_sha384',
  0x0520: 'rsa_pkcs1_sha384_legacy',
  0x0601: 'rsa_pkcs1_sha512',
  0x0603: 'ecdsa_secp521r1_sha512',
  0x0620: 'rsa_pkcs1_sha512_legacy',
  0x0704: 'eccsi_sha256',
  0x0705: 'iso_ibs1',
  0x0706: 'iso_ibs2',
  0x0707: 'iso_chinese_ibs',
  0x0708: 'sm2sig_sm3',
  0x0709: 'gostr34102012_256a',
  0x070a: 'gostr34102012_256b',
  0x070b: 'gostr34102012_256c',
  0x070c: 'gostr34102012_256d',
  0x070d: 'gostr34102012_512a',
  0x070e: 'gostr34102012_512b',
  0x070f: 'gostr34102012_512c',
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
  0x0911: 'slhdsa_sha2_128s',
  0x0912: 'slhdsa_sha2_128f',
  0x0913: 'slhdsa_sha2_192s',
  0x0914: 'slhdsa_sha2_192f',
  0x0915: 'slhdsa_sha2_256s',
  0x0916: 'slhdsa_sha2_256f',
  0x0917: 'slhdsa_shake_128s',
  0x0918: 'slhdsa_shake_128f',
  0x0919: 'slhdsa_shake_192s',
  0x091a: 'slhdsa_shake_192f',
  0x091b: 'slhdsa_shake_256s',
  0x091c: 'slhdsa_shake_256f',
};

/** TLS Alerts (tls-parameters-6.csv), as of August 2026: RFC 5246, 6066, 7507, 9147, 9846 and 9849. */
export const alerts: Names = {
  0: 'close_notify',
  10: 'unexpected_message',
  20: 'bad_record_mac',
  21: 'decryption_failed',
  22: 'record_overflow',
  30: 'decompression_failure',
  40: 'handshake_failure',
  41: 'no_certificate',
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
  52: 'too_many_cids_requested',
  60: 'export_restriction',
  70: 'protocol_version',
  71: 'insufficient_security',
  80: 'internal_error',
  86: 'inappropriate_fallback',
  90: 'user_canceled',
  100: 'no_renegotiation',
  109: 'missing_extension',
  110: 'unsupported_extension',
  111: 'certificate_unobtainable',
  112: 'unrecognized_name',
  113: 'bad_certificate_status_response',
  114: 'bad_certificate_hash_value',
  115: 'unknown_psk_identity',
  116: 'certificate_required',
  117: 'general_error',
  120: 'no_application_protocol',
  121: 'ech_required',
};

/**
 * TLS HandshakeType (tls-parameters-7.csv), as of August 2026: RFC 4680, 5246, 6066, 6347, 8870, 8879, 9147, 9261 and
 * 9846.
 */
export const handshakeTypes: Names = {
  0: 'hello_request',
  1: 'client_hello',
  2: 'server_hello',
  3: 'hello_verify_request',
  4: 'new_session_ticket',
  5: 'end_of_early_data',
  6: 'hello_retry_request',
  8: 'encrypted_extensions',
  9: 'request_connection_id',
  10: 'new_connection_id',
  11: 'certificate',
  12: 'server_key_exchange',
  13: 'certificate_request',
  14: 'server_hello_done',
  15: 'certificate_verify',
  16: 'client_key_exchange',
  17: 'client_certificate_request',
  20: 'finished',
  21: 'certificate_url',
  22: 'certificate_status',
  23: 'supplemental_data',
  24: 'key_update',
  25: 'compressed_certificate',
  26: 'ekt_key',
  254: 'message_hash',
};

/** TLS ContentType (tls-parameters-5.csv), as of August 2026: RFC 6520, 9146, 9147, 9846 and 9853. */
export const contentTypes: Names = {
  20: 'change_cipher_spec',
  21: 'alert',
  22: 'handshake',
  23: 'application_data',
  24: 'heartbeat',
  25: 'tls12_cid',
  26: 'ACK',
  27: 'return_routability_check',
};

/** TLS EC Point Formats (tls-parameters-9.csv), as of August 2026: RFC 8422. */
export const pointFormats: Names = {
  0: 'uncompressed',
  1: 'ansiX962_compressed_prime',
  2: 'ansiX962_compressed_char2',
};

/** TLS PskKeyExchangeMode (tls-pskkeyexchangemode.csv), as of August 2026: RFC 9846. */
export const pskModes: Names = { 0: 'psk_ke', 1: 'psk_dhe_ke' };

/** TLS Certificate Types (tls-extensiontype-values-3.csv), as of August 2026: RFC 6091, 7250 and 8902. */
export const certificateTypes: Names = {
  0: 'X.509',
  1: 'OpenPGP',
  2: 'Raw Public Key',
  3: '1609Dot2',
};

/** TLS Certificate Status Types (certificate-status.csv), as of August 2026: RFC 6066 and 6961. */
export const certificateStatusTypes: Names = { 1: 'ocsp', 2: 'ocsp_multi' };

/** TLS Certificate Compression Algorithm IDs (tls-certificate-compression-algorithm-ids.csv), as of August 2026: RFC 8879. */
export const certificateCompressions: Names = { 1: 'zlib', 2: 'brotli', 3: 'zstd' };

/** TLS Heartbeat Modes (heartbeat-modes.csv), as of August 2026: RFC 6520. */
export const heartbeatModes: Names = { 1: 'peer_allowed_to_send', 2: 'peer_not_allowed_to_send' };

/** Token Binding Key Parameters (token-binding-key-parameters.csv), as of August 2026: RFC 8471. */
export const tokenBindingKeys: Names = { 0: 'rsa2048_pkcs1.5', 1: 'rsa2048_pss', 2: 'ecdsap256' };

/** HPKE KDF Identifiers (hpke-kdf-ids.csv), as of August 2026: RFC 9180 and the draft ietf-hpke-pq. */
export const hpkeKdfs: Names = {
  0x0001: 'HKDF-SHA256',
  0x0002: 'HKDF-SHA384',
  0x0003: 'HKDF-SHA512',
  0x0010: 'SHAKE128',
  0x0011: 'SHAKE256',
  0x0012: 'TurboSHAKE128',
  0x0013: 'TurboSHAKE256',
};

/** HPKE AEAD Identifiers (hpke-aead-ids.csv), as of August 2026: RFC 9180. */
export const hpkeAeads: Names = {
  0x0001: 'AES-128-GCM',
  0x0002: 'AES-256-GCM',
  0x0003: 'ChaCha20Poly1305',
  0xffff: 'Export-only',
};
