import { isUtf8 } from 'node:buffer';
import { hostPort } from '../http/ip-address.ts';
import type { Connection } from '../net/connection.ts';
import type { ProxyEndpoint, Tlv } from '../wire/proxy-protocol/header.ts';
import { parseSslTlv, SslClient, SslTlvType, TlvType } from '../wire/proxy-protocol/tlvs.ts';
import { ByteReader } from '../wire/byte-reader.ts';
import { hex } from '../wire/tls/names.ts';
import type { Echo } from './echo-schema.ts';

type ProxyProtocol = NonNullable<Echo['conn']['proxy_protocol']>;
type ProxySsl = NonNullable<ProxyProtocol['ssl']>;

/** The view of a connection's PROXY header; undefined without one. */
export function proxyProtocolView(connection: Connection): ProxyProtocol | undefined {
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

/** Makes members from the value of a TLV; undefined for an invalid value. */
type TlvReader<View> = (value: Uint8Array) => Partial<View> | undefined;

const SSL_TLVS = new Map<number, TlvReader<ProxySsl>>([
  [SslTlvType.version, readText((version) => ({ version }))],
  [SslTlvType.cn, readText((cn) => ({ cn }))],
  [SslTlvType.cipher, readText((cipher) => ({ cipher }))],
  [SslTlvType.sigAlg, readText((sig_alg) => ({ sig_alg }))],
  [SslTlvType.keyAlg, readText((key_alg) => ({ key_alg }))],
  [SslTlvType.group, readText((group) => ({ group }))],
  [SslTlvType.sigScheme, readText((sig_scheme) => ({ sig_scheme }))],
]);

const TLVS = new Map<number, TlvReader<ProxyProtocol>>([
  [TlvType.alpn, readText((alpn) => ({ alpn }))],
  [TlvType.authority, readText((authority) => ({ authority }))],
  [TlvType.crc32c, (value) => ({ crc32c: hex(new ByteReader(value).uint(4), 4) })],
  [TlvType.uniqueId, readText((unique_id) => ({ unique_id }))],
  [TlvType.ssl, sslView],
  [TlvType.netns, readText((netns) => ({ netns }))],
]);

/** The view of TLVs: the first valid one of each known type by name, and all others in base64. */
function tlvsView<View extends Pick<ProxyProtocol, 'tlvs'>>(
  tlvs: readonly Tlv[],
  readers: ReadonlyMap<number, TlvReader<View>>,
): Partial<View> {
  const view: Partial<View> = {};
  const shown = new Set<number>();
  const others: { type: string; value: string }[] = [];
  for (const { type, value } of tlvs) {
    const member = shown.has(type) ? undefined : readers.get(type)?.(value);
    if (!member) {
      others.push({ type: hex(type, 1), value: Buffer.from(value).toString('base64') });
      continue;
    }
    shown.add(type);
    Object.assign(view, member);
  }
  return others.length === 0 ? view : { ...view, tlvs: others };
}

function sslView(value: Uint8Array): Pick<ProxyProtocol, 'ssl'> | undefined {
  const ssl = parseSslTlv(value);
  if (!ssl) return undefined;
  return {
    ssl: {
      client: {
        ssl: (ssl.client & SslClient.ssl) !== 0,
        cert_conn: (ssl.client & SslClient.certConn) !== 0,
        cert_sess: (ssl.client & SslClient.certSess) !== 0,
      },
      verify: ssl.verify,
      ...tlvsView(ssl.tlvs, SSL_TLVS),
    },
  };
}

function readText<View>(shown: (text: string) => View): (value: Uint8Array) => View | undefined {
  return (value) => (isUtf8(value) ? shown(Buffer.from(value).toString('utf8')) : undefined);
}
