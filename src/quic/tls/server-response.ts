import { ByteReader } from '../../wire/byte-reader.ts';
import { ExtensionType, parseExtensions, type Extension } from '../../wire/tls/extensions.ts';
import { TlsVersion } from '../../wire/tls/record.ts';
import { parseServerHello, type ServerHello } from '../../wire/tls/server-hello.ts';
import { isCipherSuite, type CipherSuite } from './cipher-suite.ts';
import { alertError, decodeError } from './failure.ts';
import { readEncryptedExtensions, requireDistinct } from './messages.ts';

/** What a ServerHello or a HelloRetryRequest selects. */
export interface ServerSelection {
  readonly isRetry: boolean;
  readonly suite: CipherSuite;
  /** undefined if the message has no key_share. */
  readonly group: number | undefined;
  /** Key exchange value; empty in a HelloRetryRequest. */
  readonly share: Uint8Array;
  /** Of a HelloRetryRequest. */
  readonly cookie: Uint8Array | undefined;
  readonly selectedIdentity: number | undefined;
}

const HELLO = 'RFC 9846 4.2.3';
const {
  serverName,
  supportedGroups,
  alpn,
  preSharedKey,
  supportedVersions,
  cookie,
  keyShare,
  quicTransportParameters,
} = ExtensionType;
/** Extensions by message (RFC 9846 4.3, table 1), of those that the client here offers. */
const IN_SERVER_HELLO = [supportedVersions, keyShare, preSharedKey];
const IN_RETRY_REQUEST = [supportedVersions, keyShare, cookie];
const IN_ENCRYPTED_EXTENSIONS = [serverName, supportedGroups, alpn, quicTransportParameters];

/** @param offered extensions and suites of the ClientHello. @throws HandshakeError */
export function readServerHello(
  body: Uint8Array,
  offered: { readonly extensions: ReadonlySet<number>; readonly suites: readonly number[] },
): ServerSelection {
  const hello = parseServerHello(body);
  if (!hello) throw decodeError(HELLO, 'ServerHello');
  const { extensions, cipherSuite: suite, isHelloRetryRequest: isRetry } = hello;
  checkVersion(hello);
  const permitted = isRetry ? IN_RETRY_REQUEST : IN_SERVER_HELLO;
  // A cookie needs no offer (RFC 9846 4.3.2).
  checkExtensions(
    extensions,
    permitted,
    isRetry ? [...offered.extensions, cookie] : [...offered.extensions],
  );
  if (hello.sessionId.length > 0 || hello.compressionMethod !== 0) {
    const reason = 'session ID or compression method is not that of the client';
    throw alertError('illegal_parameter', HELLO, reason);
  }
  if (!isCipherSuite(suite) || !offered.suites.includes(suite))
    throw alertError('illegal_parameter', HELLO, 'the cipher suite was not offered');
  return { isRetry, suite, ...readSelections(extensions, isRetry) };
}

function checkVersion({ version, legacyVersion, extensions }: ServerHello): void {
  const isTls13 = extensions.some(({ id }) => id === supportedVersions);
  if (!isTls13 || legacyVersion !== TlsVersion.tls12)
    throw alertError('protocol_version', 'RFC 9001 4.2', 'the server does not select TLS 1.3');
  if (version !== TlsVersion.tls13) {
    const reason = 'the server selects a version that was not offered';
    throw alertError('illegal_parameter', 'RFC 9846 4.3.1', reason);
  }
}

/** Checks that extensions are distinct, offered, and permitted in the message (RFC 9846 4.3). */
function checkExtensions(
  extensions: readonly Extension[],
  permitted: readonly number[],
  offered: readonly number[],
): void {
  requireDistinct(extensions);
  for (const { id } of extensions) {
    if (permitted.includes(id) && offered.includes(id)) continue;
    throw alertError(
      offered.includes(id) ? 'illegal_parameter' : 'unsupported_extension',
      'RFC 9846 4.3',
      `the server sends extension ${id} where it must not`,
    );
  }
}

type Selections = Pick<ServerSelection, 'group' | 'share' | 'cookie' | 'selectedIdentity'>;

function readSelections(extensions: readonly Extension[], isRetry: boolean): Selections {
  const read = <T>(type: number, decode: (reader: ByteReader) => T): T | undefined => {
    const found = extensions.find(({ id }) => id === type);
    if (!found) return undefined;
    const reader = new ByteReader(found.data);
    const value = decode(reader);
    if (!reader.complete) throw decodeError('RFC 9846 4.3', `extension ${type}`);
    return value;
  };
  read(supportedVersions, (reader) => reader.uint(2));
  const entry = read(keyShare, (reader) => ({
    group: reader.uint(2),
    share: isRetry ? new Uint8Array(0) : reader.vector(2),
  }));
  return {
    group: entry?.group,
    share: entry?.share ?? new Uint8Array(0),
    cookie: read(cookie, (reader) => reader.vector(2)),
    selectedIdentity: read(preSharedKey, (reader) => reader.uint(2)),
  };
}

/** What a client needs from EncryptedExtensions. */
export interface ServerExtensions {
  readonly alpn: string;
  /** Undecoded. */
  readonly transportParameters: Uint8Array;
}

/** @param offered extensions and protocols of the ClientHello. @throws HandshakeError */
export function readServerExtensions(
  body: Uint8Array,
  offered: { readonly extensions: ReadonlySet<number>; readonly alpn: readonly string[] },
): ServerExtensions {
  const extensions = readEncryptedExtensions(body);
  checkExtensions(extensions, IN_ENCRYPTED_EXTENSIONS, [...offered.extensions]);
  const dataOf = (type: number) => extensions.find(({ id }) => id === type)?.data;
  if (!dataOf(alpn))
    throw alertError('no_application_protocol', 'RFC 9001 8.1', 'the server selects no protocol');
  const names = parseExtensions(extensions).alpn;
  if (!names) throw decodeError('RFC 7301 3.1', 'ALPN');
  const [name] = names;
  if (name === undefined || names.length > 1 || !offered.alpn.includes(name)) {
    const reason = 'the server does not select one of the protocols offered';
    throw alertError('illegal_parameter', 'RFC 7301 3.1', reason);
  }
  const transportParameters = dataOf(quicTransportParameters);
  if (!transportParameters) {
    const reason = 'quic_transport_parameters is missing';
    throw alertError('missing_extension', 'RFC 9001 8.2', reason);
  }
  return { alpn: name, transportParameters };
}
