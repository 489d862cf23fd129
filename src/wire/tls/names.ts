import { isGrease } from './grease.ts';
import { cipherSuites } from './cipher-suites.ts';
import {
  alerts,
  certificateCompressions,
  certificateStatusTypes,
  certificateTypes,
  contentTypes,
  extensions,
  groups,
  handshakeTypes,
  heartbeatModes,
  hpkeAeads,
  hpkeKdfs,
  pointFormats,
  pskModes,
  signatureSchemes,
  tokenBindingKeys,
  type Names,
} from './registries.ts';

// Names as IANA has registered them, and of what is used without. Other code points are shown as numbers.

/** Node's names of TLS versions. */
const versions: Names = {
  0x0300: 'SSLv3',
  0x0301: 'TLSv1',
  0x0302: 'TLSv1.1',
  0x0303: 'TLSv1.2',
  0x0304: 'TLSv1.3',
};

/** NameType of server names (RFC 6066 3). */
const serverNameTypes: Names = { 0: 'host_name' };

/** CompressionMethod (RFC 5246 7.4.1.2; RFC 3749 2; RFC 3943 2), which IANA spells NULL. */
const compressionMethods: Names = { 0: 'null', 1: 'DEFLATE', 64: 'LZS' };

/** Post-quantum key exchanges: ML-KEM, alone or combined with a curve. */
const postQuantum = /MLKEM|Kyber/;

/**
 * SignatureAndHashAlgorithm of TLS 1.2 that IANA has reserved without a name: with SHA-224 or DSA (RFC 5246 7.4.1.4.1),
 * and of GOST (RFC 9189).
 */
const olderSignatures: Names = {
  0x0202: 'dsa_sha1',
  0x0301: 'rsa_pkcs1_sha224',
  0x0302: 'dsa_sha224',
  0x0303: 'ecdsa_sha224',
  0x0402: 'dsa_sha256',
  0x0502: 'dsa_sha384',
  0x0602: 'dsa_sha512',
  0x0840: 'gostr34102012_256',
  0x0841: 'gostr34102012_512',
};

/** Unregistered extensions that browsers send. */
const unregisteredExtensions: Names = {
  13172: 'next_protocol_negotiation',
  17513: 'application_settings_old',
  17613: 'application_settings',
  30032: 'channel_id',
  51764: 'trust_anchors',
};

const extensionNames: Names = { ...extensions, ...unregisteredExtensions };
const signatureNames: Names = { ...signatureSchemes, ...olderSignatures };

export const cipherSuiteName = (id: number): string => nameOrHex(cipherSuites, id);
export const versionName = (id: number): string => nameOrHex(versions, id);
export const groupName = (id: number): string => nameOrHex(groups, id);
export const signatureSchemeName = (id: number): string => nameOrHex(signatureNames, id);
export const extensionName = (id: number): string => nameOrHex(extensionNames, id);
export const certificateCompressionName = (id: number): string =>
  certificateCompressions[id] ?? hex(id);
export const hpkeKdfName = (id: number): string => hpkeKdfs[id] ?? hex(id);
export const hpkeAeadName = (id: number): string => hpkeAeads[id] ?? hex(id);
export const compressionMethodName = (id: number): string => compressionMethods[id] ?? hex(id, 1);
export const pointFormatName = (id: number): string => pointFormats[id] ?? hex(id, 1);
export const pskModeName = (id: number): string => pskModes[id] ?? hex(id, 1);
export const certificateTypeName = (id: number): string => certificateTypes[id] ?? hex(id, 1);
export const certificateStatusTypeName = (id: number): string =>
  certificateStatusTypes[id] ?? hex(id, 1);
export const heartbeatModeName = (id: number): string => heartbeatModes[id] ?? hex(id, 1);
export const tokenBindingKeyName = (id: number): string => tokenBindingKeys[id] ?? hex(id, 1);
export const serverNameTypeName = (id: number): string => serverNameTypes[id] ?? hex(id, 1);
export const alertName = (code: number): string => alerts[code] ?? String(code);
export const handshakeTypeName = (type: number): string => handshakeTypes[type] ?? String(type);
export const recordTypeName = (type: number): string => contentTypes[type] ?? String(type);

export function isRegisteredGroup(group: number): boolean {
  return groups[group] !== undefined;
}

export function isPostQuantum(group: number): boolean {
  return postQuantum.test(groups[group] ?? '');
}

/** A code point in the format of IANA's registries. @param size in bytes */
export function hex(id: number | bigint, size = 2): string {
  return `0x${id
    .toString(16)
    .toUpperCase()
    .padStart(size * 2, '0')}`;
}

function nameOrHex(names: Names, id: number): string {
  return names[id] ?? (isGrease(id) ? 'GREASE' : hex(id));
}
