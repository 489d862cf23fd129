import { ByteReader } from '../../wire/byte-reader.ts';
import { parseClientHelloBody, type ClientHello } from '../../wire/tls/client-hello.ts';
import { ExtensionType } from '../../wire/tls/extensions.ts';
import { TlsVersion } from '../../wire/tls/record.ts';
import { alertError, decodeError, transportError } from './failure.ts';
import type { Message } from './message-reader.ts';
import { requireDistinct } from './messages.ts';

/** What a client offers in a ClientHello that is valid by RFC 9846 4.2.2 and RFC 9001 8. */
export interface ClientOffer {
  readonly hello: ClientHello;
  readonly groups: readonly number[];
  /** Key exchange values by group. */
  readonly shares: ReadonlyMap<number, Uint8Array>;
  readonly alpn: readonly string[];
  /** Undecoded. */
  readonly transportParameters: Uint8Array;
  /** undefined without pre_shared_key, or without the mode psk_dhe_ke. */
  readonly psks: OfferedPsks | undefined;
}

/** OfferedPsks (RFC 9846 4.3.11): as many identities as binders. */
export interface OfferedPsks {
  readonly identities: readonly Uint8Array[];
  readonly binders: readonly Uint8Array[];
  /** The ClientHello up to the identities, over which binders are computed. */
  readonly truncatedHello: Buffer;
}

/** PskKeyExchangeMode with a key exchange (RFC 9846 4.3.9), the only one that is used. */
export const PSK_DHE_KE = 1;
const HELLO = 'RFC 9846 4.2.2';

/** @throws HandshakeError */
export function readClientOffer(message: Message): ClientOffer {
  const hello = parseClientHelloBody(message.body);
  if (!hello) throw decodeError(HELLO, 'ClientHello');
  requireDistinct(hello.extensions);
  checkLegacyFields(hello);
  const groups = listOf(hello, ExtensionType.supportedGroups, 'supportedGroups');
  const shares = readShares(hello, groups);
  if (!groups || !shares) {
    const reason = 'supported_groups or key_share is missing';
    throw alertError('missing_extension', 'RFC 9846 9.2', reason);
  }
  const alpn = listOf(hello, ExtensionType.alpn, 'alpn');
  if (!alpn) throw alertError('no_application_protocol', 'RFC 9001 8.1', 'ALPN is missing');
  const transportParameters = dataOf(hello, ExtensionType.quicTransportParameters);
  if (!transportParameters) {
    const reason = 'quic_transport_parameters is missing';
    throw alertError('missing_extension', 'RFC 9001 8.2', reason);
  }
  listOf(hello, ExtensionType.signatureAlgorithms, 'signatureAlgorithms');
  listOf(hello, ExtensionType.serverName, 'serverName');
  return { hello, groups, shares, alpn, transportParameters, psks: readPsks(message, hello) };
}

/** The content of an extension; undefined without it. */
function dataOf(hello: ClientHello, type: number): Uint8Array | undefined {
  return hello.extensions.find(({ id }) => id === type)?.data;
}

/** A parsed extension; undefined if it is missing. @throws HandshakeError if it is malformed */
function listOf<Key extends keyof ClientHello>(
  hello: ClientHello,
  type: number,
  key: Key,
): ClientHello[Key] {
  if (hello[key] === undefined && dataOf(hello, type)) throw decodeError('RFC 9846 4.3', key);
  return hello[key];
}

function checkLegacyFields(hello: ClientHello): void {
  const versions = listOf(hello, ExtensionType.supportedVersions, 'supportedVersions');
  if (hello.legacyVersion !== TlsVersion.tls12 || !versions?.includes(TlsVersion.tls13))
    throw alertError('protocol_version', 'RFC 9001 4.2', 'the client does not offer TLS 1.3');
  if (hello.sessionId.length > 0) {
    const reason = 'legacy_session_id is not empty';
    throw transportError('PROTOCOL_VIOLATION', 'RFC 9001 8.4', reason);
  }
  if (hello.compressionMethods.length !== 1 || hello.compressionMethods[0] !== 0)
    throw alertError('illegal_parameter', HELLO, 'the compression methods are not just null');
}

/** @param groups of supported_groups, in which each share must be */
function readShares(
  hello: ClientHello,
  groups: readonly number[] = [],
): ReadonlyMap<number, Uint8Array> | undefined {
  const data = dataOf(hello, ExtensionType.keyShare);
  if (!data) return undefined;
  const reader = new ByteReader(data);
  const entries = reader.list(2, (entry) => [entry.uint(2), entry.vector(2)] as const);
  if (!reader.complete || entries.some(([, share]) => share.length === 0))
    throw decodeError('RFC 9846 4.3.8', 'key_share');
  const shares = new Map(entries);
  const supported = new Set(groups);
  if (shares.size < entries.length || entries.some(([group]) => !supported.has(group))) {
    const reason = 'a key share is of a repeated group, or of one that is not supported';
    throw alertError('illegal_parameter', 'RFC 9846 4.3.8', reason);
  }
  return shares;
}

/** pre_shared_key (RFC 9846 4.3.11). */
function readPsks({ bytes }: Message, hello: ClientHello): OfferedPsks | undefined {
  const last = hello.extensions.at(-1);
  const data = dataOf(hello, ExtensionType.preSharedKey);
  if (!last || !data) return undefined;
  const reader = new ByteReader(data);
  const identities = reader.list(2, (each) => {
    const identity = each.vector(2);
    // obfuscated_ticket_age, which limits replays of 0-RTT.
    each.bytes(4);
    return identity;
  });
  const binders = reader.list(2, (each) => each.vector(1));
  if (!reader.complete || identities.length === 0)
    throw decodeError('RFC 9846 4.3.11', 'pre_shared_key');
  if (last.id !== ExtensionType.preSharedKey || binders.length !== identities.length) {
    const reason =
      'pre_shared_key is not the last extension, or does not have a binder for each identity';
    throw alertError('illegal_parameter', 'RFC 9846 4.3.11', reason);
  }
  const modes = listOf(hello, ExtensionType.pskKeyExchangeModes, 'pskModes');
  if (!modes) {
    const reason = 'pre_shared_key comes without psk_key_exchange_modes';
    throw alertError('missing_extension', 'RFC 9846 4.3.9', reason);
  }
  if (!modes.includes(PSK_DHE_KE)) return undefined;
  const bindersLength = binders.reduce((sum, { length }) => sum + 1 + length, 2);
  const truncatedHello = bytes.subarray(0, bytes.length - bindersLength);
  return { identities, binders, truncatedHello };
}
