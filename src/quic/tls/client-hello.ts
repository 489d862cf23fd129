import { uint16s, vector } from '../../wire/byte-writer.ts';
import { alpnExtension, extension, serverNameExtension } from '../../wire/tls/extension-writer.ts';
import { ExtensionType } from '../../wire/tls/extensions.ts';
import { HandshakeType } from '../../wire/tls/handshake-reader.ts';
import { TlsVersion } from '../../wire/tls/record.ts';
import { PSK_DHE_KE } from './client-offer.ts';
import { handshakeMessage } from './messages.ts';
import { SIGNATURE_SCHEMES } from './signatures.ts';

/** What a ClientHello offers. */
export interface HelloContent {
  readonly random: Uint8Array;
  readonly suites: readonly number[];
  readonly groups: readonly number[];
  /** Key exchange values, in the order of `groups`. */
  readonly shares: readonly { readonly group: number; readonly share: Uint8Array }[];
  /** server_name; undefined sends none. */
  readonly serverName: string | undefined;
  readonly alpn: readonly string[];
  readonly transportParameters: Uint8Array;
  /** Of a HelloRetryRequest; undefined without one. */
  readonly cookie: Uint8Array | undefined;
  readonly psk: OfferedPsk | undefined;
}

export interface OfferedPsk {
  readonly identity: Uint8Array;
  /** `obfuscated_ticket_age` */
  readonly obfuscatedAge: number;
  /** Computes the binder. @param truncatedHello the ClientHello up to the identities */
  readonly binder: (truncatedHello: Uint8Array) => Uint8Array;
  /** Bytes of the binder. */
  readonly binderLength: number;
}

const NULL_COMPRESSION = 0;

export interface SentHello {
  readonly message: Buffer;
  /** Types of the extensions, to which the server may respond. */
  readonly offered: ReadonlySet<number>;
}

/** A ClientHello message (RFC 9846 4.2.2) for QUIC: no session ID, only TLS 1.3 (RFC 9001 4.2, 8.4). */
export function clientHello(content: HelloContent): SentHello {
  const { random, suites, psk } = content;
  const list = extensions(content);
  if (psk) list.push(pskExtension(psk));
  const message = handshakeMessage(
    HandshakeType.clientHello,
    uint16s([TlsVersion.tls12]),
    random,
    Buffer.of(0),
    vector(2, uint16s(suites)),
    Buffer.of(1, NULL_COMPRESSION),
    vector(2, Buffer.concat(list)),
  );
  if (psk) {
    const binderAt = message.length - psk.binderLength;
    // Before the binder: its length, and that of the list.
    message.set(psk.binder(message.subarray(0, binderAt - 3)), binderAt);
  }
  return { message, offered: new Set(list.map((each) => each.readUInt16BE(0))) };
}

function extensions(content: HelloContent): Buffer[] {
  const { groups, serverName, alpn, transportParameters, cookie } = content;
  const shares = content.shares.flatMap(({ group, share }) => [uint16s([group]), vector(2, share)]);
  return [
    ...(serverName === undefined ? [] : [serverNameExtension(serverName)]),
    extension(ExtensionType.supportedVersions, vector(1, uint16s([TlsVersion.tls13]))),
    extension(ExtensionType.supportedGroups, vector(2, uint16s(groups))),
    extension(ExtensionType.signatureAlgorithms, vector(2, uint16s(SIGNATURE_SCHEMES))),
    extension(ExtensionType.keyShare, vector(2, Buffer.concat(shares))),
    ...(cookie ? [extension(ExtensionType.cookie, vector(2, cookie))] : []),
    alpnExtension(alpn),
    extension(ExtensionType.quicTransportParameters, transportParameters),
    extension(ExtensionType.pskKeyExchangeModes, Buffer.of(1, PSK_DHE_KE)),
  ];
}

/** pre_shared_key (RFC 9846 4.3.11), with zeros for the binder. It must be the last extension. */
function pskExtension({ identity, obfuscatedAge, binderLength }: OfferedPsk): Buffer {
  const age = Buffer.alloc(4);
  age.writeUInt32BE(obfuscatedAge);
  const identities = vector(2, Buffer.concat([vector(2, identity), age]));
  const binders = vector(2, vector(1, Buffer.alloc(binderLength)));
  return extension(ExtensionType.preSharedKey, Buffer.concat([identities, binders]));
}
