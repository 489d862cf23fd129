import { originOf, urlOf } from '../../echo/request-url.ts';
import { clientAddress } from '../../server/forwarding.ts';
import { http2Details } from '../../echo/http2.ts';
import { proxyProtocolView } from '../../echo/proxy-protocol.ts';
import { tlsDetails } from '../../echo/tls.ts';
import type { TlsDetails } from '../../echo/tls-schema.ts';
import { fieldPairs } from '../../http/fields.ts';
import { hostPort } from '../../http/ip-address.ts';
import type { Http2Details } from '../../echo/http2-schema.ts';
import { curlCommand } from '../../pages/curl.ts';
import type { ConnectionFacts, Fact, FactGroup } from '../../pages/home/connection-section.ts';
import { millisecondsSince } from '../../server/timing.ts';
import { protocolOf } from '../../net/connection.ts';
import type { Request } from '../../server/request.ts';

/**
 * Facts about the page's own request and connection.
 *
 * @param hasEcho whether `/anything` exists
 */
export function connectionFacts(request: Request, hasEcho: boolean): ConnectionFacts {
  const { tls } = tlsDetails(request.connection);
  const { http2 } = http2Details(request);
  const groups = [connectionGroup(request), tlsGroup(tls), http2Group(http2), proxyGroup(request)];
  return {
    glance: [
      ...fact(
        'Protocol',
        protocolOf(request),
        'Detected from the first bytes, on one port.',
        protocolWords(request),
      ),
      ...tlsFacts(request, tls),
      ...addressFacts(request),
      ...fingerprintFacts(tls, http2),
    ],
    curl: hasEcho
      ? curlCommand(`${originOf(request)}/anything`, request.stream !== undefined)
      : undefined,
    details: groups.filter(({ facts, note }) => facts.length > 0 || note !== undefined),
    fields: fieldsGroup(request),
  };
}

/** A fact as list; empty without a value. @param words beside the value */
function fact(label: string, value: unknown, meaning: string, words?: string): Fact[] {
  if (value === undefined || value === null || value === '') return [];
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return [{ label, value: text, meaning, ...(words !== undefined && { words }) }];
}

/** A fact to copy. */
function copied(label: string, value: unknown, meaning: string): Fact[] {
  const [made] = fact(label, value, meaning);
  return made ? [{ ...made, isCopied: true }] : [];
}

function protocolWords({ version, connection }: Request): string {
  return `${version.replace('.0', '')} ${connection.tls ? 'over TLS' : 'in cleartext'}`;
}

type TlsFacts = TlsDetails['tls'];
type Http2Facts = Http2Details['http2'];

function tlsFacts(request: Request, tls: TlsFacts): Fact[] {
  if (tls) {
    const meaning = 'The highest version that both sides support, and the cipher suite.';
    return fact('TLS', tls.version, meaning, tls.cipher_suite ?? '');
  }
  const advice = isProxied(request)
    ? 'if you used https, the proxy may have terminated TLS'
    : 'this port speaks it, too: try https';
  return fact('TLS', 'none', 'The request arrived in cleartext.', advice);
}

function addressFacts(request: Request): Fact[] {
  const address = clientAddress(request);
  const { peerAddress } = request.connection;
  return fact(
    'Address',
    address,
    'The client, as far as proxies can be trusted to name it.',
    address === peerAddress ? undefined : `through the proxy ${peerAddress}`,
  );
}

const AKAMAI =
  'Fingerprint of SETTINGS, WINDOW_UPDATE, PRIORITY and the order of pseudo-header fields.';

/** Facts that distinguish clients. */
function fingerprintFacts(tls: TlsFacts, http2: Http2Facts): Fact[] {
  return [
    ...(tls
      ? [
          ...copied(
            'JA3',
            tls.ja3_hash,
            'Fingerprint of the ClientHello. Browsers that shuffle extensions change it each time.',
          ),
          ...copied(
            'JA4',
            tls.ja4,
            'A newer one that sorts extensions: the same each time, but for resumed sessions.',
          ),
        ]
      : fact('JA3, JA4', 'none', 'Fingerprints of the ClientHello.', 'they need TLS')),
    ...(http2
      ? copied('Akamai HTTP/2', http2.akamai_fingerprint, AKAMAI)
      : fact('Akamai HTTP/2', 'none', AKAMAI, 'it needs HTTP/2')),
  ];
}

function connectionGroup(request: Request): FactGroup {
  const { connection, stream, requestNumber } = request;
  const { id, instance, worker } = connection;
  return {
    title: 'Connection',
    facts: [
      ...fact('URL', urlOf(request), 'As requested, or as a trusted proxy says.'),
      ...fact(
        'Connection number',
        id,
        'In base 36. If it changes after a reload, the browser opened a new TCP connection.',
      ),
      ...fact('Request on it', requestNumber, 'More than 1: the connection is reused.'),
      ...fact('Stream', stream?.id, 'Streams that a client opens have odd numbers.'),
      ...fact('Open streams', stream?.open, 'Requests in progress, this one included.'),
      ...fact(
        'Age',
        `${Math.round(millisecondsSince(connection.openedAt))} ms`,
        'Since the connection was accepted.',
      ),
      ...fact(
        'Peer',
        hostPort(connection.peerAddress, connection.peerPort),
        'Where the TCP connection comes from: you, or the last proxy.',
      ),
      ...fact(
        'Server',
        hostPort(connection.localAddress, connection.localPort),
        'The local address of the connection.',
      ),
      ...fact('Instance', instance, 'The name of this service, to tell replicas apart.'),
      ...fact('Worker', worker, 'The process that responded.'),
    ],
  };
}

function tlsGroup(tls: TlsFacts): FactGroup {
  const title = 'TLS';
  if (!tls) return { title, facts: [] };
  const [certificate] = tls.client_certs;
  return {
    title,
    facts: [
      ...fact('ALPN', tls.alpn ?? 'none', 'The protocol agreed on in the handshake (RFC 7301).'),
      ...copied(
        'JA3N',
        tls.ja3n_hash,
        'JA3 with sorted extensions: the same each time, also of browsers that shuffle them.',
      ),
      ...fact(
        'Server name',
        tls.sni ?? 'none',
        'SNI: the host asked for, in cleartext; RFC 6066 allows no IP address.',
      ),
      ...fact(
        'Session resumed',
        tls.session_reused ? 'yes' : 'no',
        'With the keys of an earlier connection.',
      ),
      ...fact(
        'Group',
        tls.group?.name ?? 'none',
        'Of the key exchange. HelloRetryRequest: it took another round trip.',
        tls.group_reason ?? (tls.hello_retry_request ? 'after HelloRetryRequest' : undefined),
      ),
      ...fact(
        'Post-quantum group',
        postQuantumWords(tls.post_quantum),
        'A key exchange that resists quantum computers, such as X25519MLKEM768.',
      ),
      ...fact(
        'Client certificate',
        certificate?.subject,
        `The subject that the client proved to be; ${certificate?.authorized ? 'verified' : 'not verified'}.`,
      ),
    ],
  };
}

function postQuantumWords({ offered, negotiated }: NonNullable<TlsFacts>['post_quantum']): string {
  if (negotiated === true) return 'negotiated';
  return offered ? 'offered' : 'not offered';
}

function http2Group(http2: Http2Facts): FactGroup {
  const title = 'HTTP/2';
  if (!http2) return { title, facts: [] };
  const settings = http2.settings.map(({ name, value }) => `${name} = ${value}`);
  return {
    title,
    facts: [
      ...copied('Akamai MD5', http2.akamai_fingerprint_hash, 'MD5 of the fingerprint at a glance.'),
      ...fact(
        'SETTINGS',
        settings.join(', ') || 'none',
        'What the client said first (RFC 9113 6.5).',
      ),
      ...fact(
        'WINDOW_UPDATE',
        http2.window_update,
        'What the first one added to the window of the connection, in bytes.',
      ),
      ...fact(
        'Pseudo-header fields',
        http2.pseudo_headers.join(' '),
        'In the order of this request.',
      ),
      ...fact('Priority', http2.priority, 'How urgent this request is (RFC 9218).'),
      ...fact(
        'Window to you',
        http2.windows?.connection.to_client,
        'Bytes that wirebin may send before the client allows more.',
      ),
    ],
  };
}

/** Fields that proxies add to requests. */
const FORWARDING = /^(?:forwarded|via|x-forwarded-.*|x-real-ip|x-original-.*)$/i;
/** What those with a meaning of their own say. */
const MEANINGS: ReadonlyMap<string, string> = new Map([
  ['forwarded', 'Client, host and scheme before each proxy (RFC 7239).'],
  ['via', 'The proxies on the way, and their protocols (RFC 9110 7.6.3).'],
  ['x-forwarded-for', 'The addresses before each proxy; the client may have written the first.'],
  ['x-forwarded-proto', 'The scheme that the client used.'],
  ['x-forwarded-host', 'The authority that the client used.'],
]);
/** Tracing fields, which clients and proxies add. */
const TRACING = /^(?:x-request-id|traceparent)$/i;

function isProxied({ connection, fields }: Request): boolean {
  const hasHeader = proxyProtocolView(connection) !== undefined;
  return hasHeader || Array.from(fieldPairs(fields)).some(([name]) => FORWARDING.test(name));
}

const TRUSTED = 'The peer is a trusted proxy (--trust-proxy): what it says of the client is used.';
const NOT_TRUSTED = 'The peer is no trusted proxy (--trust-proxy): these are not believed.';

function proxyGroup(request: Request): FactGroup {
  const title = 'Proxies';
  const header = proxyProtocolView(request.connection);
  const sent = Array.from(fieldPairs(request.fields)).filter(
    ([name]) => FORWARDING.test(name) || TRACING.test(name),
  );
  const facts = [
    ...fact(
      'PROXY header',
      header,
      'Sent first by a proxy of the PROXY protocol: who really connected, and how.',
    ),
    ...sent.flatMap(([name, value]) =>
      TRACING.test(name)
        ? copied(name, value, 'Ties together what programs log of one request.')
        : fact(
            name,
            value,
            MEANINGS.get(name.toLowerCase()) ?? 'Added by a proxy, or by the client.',
          ),
    ),
  ];
  if (facts.length === 0) {
    return {
      title,
      facts,
      note: 'No sign of one: no PROXY header, Forwarded, Via or X-Forwarded-For. Some proxies add none.',
    };
  }
  const trusted = request.connection.trustedProxies !== undefined;
  const notes = [
    ...(sent.length > 0 ? [trusted ? TRUSTED : NOT_TRUSTED] : []),
    ...(isProxied(request) ? ['wirebin check says what a proxy changes.'] : []),
  ];
  return { title, facts, note: notes.join(' ') };
}

function fieldsGroup({ fields }: Request): FactGroup {
  return {
    title: 'Header fields',
    note: 'As they arrived: order, case, repetition.',
    facts: Array.from(fieldPairs(fields), ([label, value]) => ({ label, value, meaning: '' })),
  };
}
