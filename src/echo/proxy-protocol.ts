import { isUtf8 } from 'node:buffer';
import { hostPort } from '../http/ip-address.ts';
import type { Connection } from '../net/connection.ts';
import { arrayOf, BOOLEAN, COUNT, enumOf, nullable, objectSchema, TEXT } from '../server/schema.ts';
import type { ProxyEndpoint, Tlv } from '../wire/proxy-protocol/header.ts';
import { parseSslTlv, SslClient, SslTlvType, TlvType } from '../wire/proxy-protocol/tlvs.ts';
import { ByteReader } from '../wire/byte-reader.ts';
import { hex } from '../wire/tls/names.ts';

/** The first TLV of each known type has its own member. */
const OTHER_TLVS = {
  ...arrayOf(objectSchema('Tlv', { type: TEXT, value: TEXT })),
  description: 'All other TLVs, with values in base64.',
};

const sslSchema = objectSchema(
  'ProxySsl',
  {
    client: objectSchema('ProxySslClient', {
      ssl: BOOLEAN,
      cert_conn: BOOLEAN,
      cert_sess: BOOLEAN,
    }),
    verify: { ...COUNT, description: '0 if the certificate was verified.' },
    version: TEXT,
    cn: TEXT,
    cipher: TEXT,
    sig_alg: TEXT,
    key_alg: TEXT,
    group: TEXT,
    sig_scheme: TEXT,
    tlvs: OTHER_TLVS,
  },
  ['version', 'cn', 'cipher', 'sig_alg', 'key_alg', 'group', 'sig_scheme', 'tlvs'],
);

export const proxyProtocolSchema = objectSchema(
  'ProxyProtocol',
  {
    version: enumOf(1, 2),
    command: enumOf('PROXY', 'LOCAL'),
    family: enumOf('inet', 'inet6', 'unix', 'unspec'),
    transport: enumOf('stream', 'dgram', 'unspec'),
    source: nullable(TEXT),
    destination: nullable(TEXT),
    peer: { ...TEXT, description: 'The peer of the TCP connection.' },
    alpn: TEXT,
    authority: TEXT,
    crc32c: { ...TEXT, description: 'Verified against the header.' },
    unique_id: TEXT,
    ssl: sslSchema,
    netns: TEXT,
    tlvs: OTHER_TLVS,
  },
  ['alpn', 'authority', 'crc32c', 'unique_id', 'ssl', 'netns', 'tlvs'],
);

type View = Record<string, unknown>;

/** The PROXY header of a connection; undefined without one. */
export function proxyProtocolView(connection: Connection): View | undefined {
  const { proxyHeader, peerAddress, peerPort } = connection;
  if (!proxyHeader) return undefined;
  const { version, command, family, transport, source, destination, tlvs } = proxyHeader;
  return {
    version,
    command,
    family,
    transport,
    source: source ? endpointText(source) : null,
    destination: destination ? endpointText(destination) : null,
    peer: hostPort(peerAddress, peerPort),
    ...tlvsView(tlvs, TLVS),
  };
}

function endpointText(endpoint: ProxyEndpoint): string {
  return 'path' in endpoint ? endpoint.path : hostPort(endpoint.address, endpoint.port);
}

/** Member name and parser by TLV type. Parsers return undefined for invalid values. */
type TlvParsers = ReadonlyMap<
  number,
  readonly [name: string, read: (value: Uint8Array) => unknown]
>;

const SSL_TLVS: TlvParsers = new Map([
  [SslTlvType.version, ['version', textOf]],
  [SslTlvType.cn, ['cn', textOf]],
  [SslTlvType.cipher, ['cipher', textOf]],
  [SslTlvType.sigAlg, ['sig_alg', textOf]],
  [SslTlvType.keyAlg, ['key_alg', textOf]],
  [SslTlvType.group, ['group', textOf]],
  [SslTlvType.sigScheme, ['sig_scheme', textOf]],
]);

const TLVS: TlvParsers = new Map<number, readonly [string, (value: Uint8Array) => unknown]>([
  [TlvType.alpn, ['alpn', textOf]],
  [TlvType.authority, ['authority', textOf]],
  [TlvType.crc32c, ['crc32c', (value) => hex(new ByteReader(value).uint(4), 4)]],
  [TlvType.uniqueId, ['unique_id', textOf]],
  [TlvType.ssl, ['ssl', sslView]],
  [TlvType.netns, ['netns', textOf]],
]);

/** Shows the first valid TLV of each known type by name, and all others in base64. */
function tlvsView(tlvs: readonly Tlv[], parsers: TlvParsers): View {
  const view: View = {};
  const others: View[] = [];
  for (const { type, value } of tlvs) {
    const [name, parse] = parsers.get(type) ?? [];
    const parsed = name === undefined || name in view ? undefined : parse?.(value);
    if (name !== undefined && parsed !== undefined) view[name] = parsed;
    else others.push({ type: hex(type, 1), value: Buffer.from(value).toString('base64') });
  }
  return others.length === 0 ? view : { ...view, tlvs: others };
}

function sslView(value: Uint8Array): View | undefined {
  const ssl = parseSslTlv(value);
  if (!ssl) return undefined;
  return {
    client: {
      ssl: (ssl.client & SslClient.ssl) !== 0,
      cert_conn: (ssl.client & SslClient.certConn) !== 0,
      cert_sess: (ssl.client & SslClient.certSess) !== 0,
    },
    verify: ssl.verify,
    ...tlvsView(ssl.tlvs, SSL_TLVS),
  };
}

function textOf(value: Uint8Array): string | undefined {
  return isUtf8(value) ? Buffer.from(value).toString('utf8') : undefined;
}
