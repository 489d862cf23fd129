import { ByteReader } from '../../wire/byte-reader.ts';
import { uint16s, vector } from '../../wire/byte-writer.ts';
import { extension } from '../../wire/tls/extension-writer.ts';
import { ExtensionType, readExtension, type Extension } from '../../wire/tls/extensions.ts';
import { HandshakeType } from '../../wire/tls/handshake-reader.ts';
import { TlsVersion } from '../../wire/tls/record.ts';
import { alertError, decodeError, transportError } from './failure.ts';

const NO_EXTENSIONS = vector(2, []);
const SELECTED_VERSION = extension(ExtensionType.supportedVersions, uint16s([TlsVersion.tls13]));

/** A handshake message of parts (RFC 9846 4). @param type HandshakeType */
export function handshakeMessage(type: number, ...parts: readonly Uint8Array[]): Buffer {
  return Buffer.concat([Buffer.of(type), vector(3, Buffer.concat(parts))]);
}

/**
 * ServerHello (RFC 9846 4.2.3). It is a HelloRetryRequest if `random` is RETRY_RANDOM. The session ID is empty, as that of the
 * client in QUIC is (RFC 9001 8.4).
 *
 * @param extensions besides supported_versions
 */
export function serverHello(
  random: Uint8Array,
  suite: number,
  extensions: readonly Buffer[],
): Buffer {
  return handshakeMessage(
    HandshakeType.serverHello,
    uint16s([TlsVersion.tls12]),
    random,
    Buffer.of(0),
    uint16s([suite]),
    Buffer.of(0),
    vector(2, Buffer.concat([SELECTED_VERSION, ...extensions])),
  );
}

/** EncryptedExtensions (RFC 9846 4.4.1). */
export function encryptedExtensions(extensions: readonly Buffer[]): Buffer {
  const list = vector(2, Buffer.concat(extensions));
  return handshakeMessage(HandshakeType.encryptedExtensions, list);
}

/** Certificate (RFC 9846 4.5.1). @param chain in DER, the end entity's first */
export function certificate(context: Uint8Array, chain: readonly Uint8Array[]): Buffer {
  const entries = chain.flatMap((der) => [vector(3, der), NO_EXTENSIONS]);
  const list = vector(3, Buffer.concat(entries));
  return handshakeMessage(HandshakeType.certificate, vector(1, context), list);
}

/** CertificateVerify (RFC 9846 4.5.2). */
export function certificateVerify(scheme: number, signature: Uint8Array): Buffer {
  return handshakeMessage(HandshakeType.certificateVerify, uint16s([scheme]), vector(2, signature));
}

/** NewSessionTicket (RFC 9846 4.7.1), without its extensions. */
export interface NewSessionTicket {
  /** In seconds. */
  readonly lifetime: number;
  /** `ticket_age_add` */
  readonly ageAdd: number;
  readonly nonce: Uint8Array;
  readonly ticket: Uint8Array;
}

/** NewSessionTicket without early_data: 0-RTT is not accepted. */
export function newSessionTicket({ lifetime, ageAdd, nonce, ticket }: NewSessionTicket): Buffer {
  const numbers = Buffer.alloc(8);
  numbers.writeUInt32BE(lifetime);
  numbers.writeUInt32BE(ageAdd, 4);
  return handshakeMessage(
    HandshakeType.newSessionTicket,
    numbers,
    vector(1, nonce),
    vector(2, ticket),
    NO_EXTENSIONS,
  );
}

/** @throws HandshakeError as all readers here */
export function readEncryptedExtensions(body: Uint8Array): readonly Extension[] {
  const reader = new ByteReader(body);
  const extensions = reader.list(2, readExtension);
  if (!reader.complete) throw decodeError('RFC 9846 4.4.1', 'EncryptedExtensions');
  requireDistinct(extensions);
  return extensions;
}

/** Reads a server's Certificate. @returns the chain in DER, the end entity's first */
export function readCertificate(body: Uint8Array): readonly Uint8Array[] {
  const reader = new ByteReader(body);
  const context = reader.vector(1);
  const entries = reader.list(3, (entry) => ({
    der: entry.vector(3),
    extensions: entry.vector(2),
  }));
  if (!reader.complete || entries.some(({ der }) => der.length === 0))
    throw decodeError('RFC 9846 4.5.1', 'Certificate');
  if (entries.length === 0)
    throw alertError('decode_error', 'RFC 9846 4.5.1.3', 'Certificate has no certificate');
  if (context.length > 0)
    throw alertError(
      'illegal_parameter',
      'RFC 9846 4.5.1',
      'Certificate of a server has a context',
    );
  // No extension that an entry may have is offered.
  if (entries.some(({ extensions }) => extensions.length > 0)) {
    const reason = 'a certificate has an extension that was not offered';
    throw alertError('unsupported_extension', 'RFC 9846 4.3', reason);
  }
  return entries.map(({ der }) => der);
}

/** Reads a CertificateRequest of the handshake (RFC 9846 4.4.2). */
export function readCertificateRequest(body: Uint8Array): void {
  const reader = new ByteReader(body);
  const context = reader.vector(1);
  const extensions = reader.list(2, readExtension);
  if (!reader.complete) throw decodeError('RFC 9846 4.4.2', 'CertificateRequest');
  requireDistinct(extensions);
  if (context.length > 0)
    throw alertError('illegal_parameter', 'RFC 9846 4.4.2', 'CertificateRequest has a context');
  if (!extensions.some(({ id }) => id === ExtensionType.signatureAlgorithms)) {
    const reason = 'CertificateRequest has no signature_algorithms';
    throw alertError('missing_extension', 'RFC 9846 4.4.2', reason);
  }
}

export interface CertificateVerify {
  readonly scheme: number;
  readonly signature: Uint8Array;
}

export function readCertificateVerify(body: Uint8Array): CertificateVerify {
  const reader = new ByteReader(body);
  const read = { scheme: reader.uint(2), signature: reader.vector(2) };
  if (!reader.complete) throw decodeError('RFC 9846 4.5.2', 'CertificateVerify');
  return read;
}

export function readNewSessionTicket(body: Uint8Array): NewSessionTicket {
  const reader = new ByteReader(body);
  const read = {
    lifetime: reader.uint(4),
    ageAdd: reader.uint(4),
    nonce: reader.vector(1),
    ticket: reader.vector(2),
  };
  const extensions = reader.list(2, readExtension);
  if (!reader.complete || read.ticket.length === 0)
    throw decodeError('RFC 9846 4.7.1', 'NewSessionTicket');
  requireDistinct(extensions);
  checkEarlyData(extensions);
  return read;
}

/** In QUIC, max_early_data_size must be 0xffffffff, or early_data absent (RFC 9001 4.6.1). */
function checkEarlyData(extensions: readonly Extension[]): void {
  const earlyData = extensions.find(({ id }) => id === ExtensionType.earlyData);
  if (!earlyData) return;
  const reader = new ByteReader(earlyData.data);
  const size = reader.uint(4);
  if (!reader.complete) throw decodeError('RFC 9846 4.7.1', 'early_data');
  if (size !== 0xffff_ffff) {
    const reason = `NewSessionTicket has max_early_data_size ${size}`;
    throw transportError('PROTOCOL_VIOLATION', 'RFC 9001 4.6.1', reason);
  }
}

/** Each extension may be in a message once (RFC 9846 4.3). */
export function requireDistinct(extensions: readonly Extension[]): void {
  if (new Set(extensions.map(({ id }) => id)).size < extensions.length)
    throw alertError('illegal_parameter', 'RFC 9846 4.3', 'an extension is repeated');
}
