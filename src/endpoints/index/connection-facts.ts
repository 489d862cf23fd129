import { urlOf } from '../../echo/request-url.ts';
import { clientAddress } from '../../server/forwarding.ts';
import { http2Details } from '../../echo/http2.ts';
import { proxyProtocolView } from '../../echo/proxy-protocol.ts';
import { tlsDetails } from '../../echo/tls.ts';
import type { TlsDetails } from '../../echo/tls-schema.ts';
import { fieldPairs } from '../../http/fields.ts';
import { hostPort } from '../../http/ip-address.ts';
import type { Fact, FactGroup } from '../../pages/home/connection-section.ts';
import { millisecondsSince } from '../../server/timing.ts';
import { protocolOf } from '../../net/connection.ts';
import type { Request } from '../../server/request.ts';

/** Facts about the page's own request and connection. */
export function connectionFacts(request: Request): readonly FactGroup[] {
  return [
    connectionGroup(request),
    proxyGroup(request),
    tlsGroup(request),
    http2Group(request),
    fieldsGroup(request),
  ];
}

/** A fact as list; empty without a value. */
function fact(label: string, value: unknown, meaning: string): Fact[] {
  if (value === undefined || value === null || value === '') return [];
  return [{ label, value: typeof value === 'string' ? value : JSON.stringify(value), meaning }];
}

function connectionGroup(request: Request): FactGroup {
  const { connection, stream, requestNumber } = request;
  const { id } = connection;
  return {
    title: 'Connection',
    facts: [
      ...fact(
        'Protocol',
        protocolOf(request),
        'The transport that this port detected: h2 and https/1.1 are over TLS, h2c and http/1.1 are not.',
      ),
      ...fact(
        'URL',
        urlOf(request),
        'Scheme and authority as requested, or as a trusted proxy says.',
      ),
      ...fact(
        'Client address',
        clientAddress(request),
        'The other end, as far as proxies can be trusted to name it.',
      ),
      ...fact(
        'Connection number',
        id,
        'Each TCP connection has a number, in base 36; if it changes when you reload, a new one was opened.',
      ),
      ...fact(
        'Request on it',
        requestNumber,
        '1 is the first request on the connection; more means that it is reused.',
      ),
      ...fact(
        'Stream',
        stream?.id,
        'HTTP/2 numbers the requests of a client with odd numbers, from 1.',
      ),
      ...fact(
        'Open streams',
        stream?.open,
        'Requests in progress on the connection, this one included.',
      ),
      ...endpointFacts(request),
    ],
  };
}

/** Facts about both ends of the connection. */
function endpointFacts({ connection }: Request): Fact[] {
  const { instance, worker } = connection;
  return [
    ...fact(
      'Age',
      `${Math.round(millisecondsSince(connection.openedAt))} ms`,
      'Since the connection was accepted.',
    ),
    ...fact(
      'Peer',
      hostPort(connection.peerAddress, connection.peerPort),
      'The TCP connection comes from here: you, or the last proxy.',
    ),
    ...fact(
      'Server',
      hostPort(connection.localAddress, connection.localPort),
      'The address that it was accepted on.',
    ),
    ...fact('Instance', instance, 'The name of this service, to tell replicas apart.'),
    ...fact('Worker', worker, 'The process that responded, of several behind the port.'),
  ];
}

type TlsFacts = NonNullable<TlsDetails['tls']>;

function tlsGroup(request: Request): FactGroup {
  const title = 'TLS';
  const { tls } = tlsDetails(request.connection);
  if (!tls) {
    const advice = isProxied(request)
      ? 'If you asked for https, it may have ended at the proxy.'
      : 'The same port speaks TLS; try https.';
    return { title, facts: [], note: `None: the request arrived in cleartext. ${advice}` };
  }
  return { title, facts: [...negotiatedFacts(tls), ...identityFacts(tls)] };
}

function negotiatedFacts(tls: TlsFacts): Fact[] {
  return [
    ...fact('Version', tls.version, 'The highest version that both sides support.'),
    ...fact('Cipher suite', tls.cipher_suite, 'How the bytes of this connection are encrypted.'),
    ...fact(
      'ALPN',
      tls.alpn ?? 'none',
      'The protocol that client and server agreed on within the handshake (RFC 7301).',
    ),
    ...fact(
      'Server name',
      tls.sni ?? 'none',
      'SNI: the host that the client asked for, in cleartext (RFC 6066). IP addresses are not sent.',
    ),
    ...fact(
      'Session resumed',
      tls.session_reused ? 'yes' : 'no',
      'Whether the keys of an earlier connection were reused, which saves a key exchange.',
    ),
    ...fact(
      'Post-quantum key exchange',
      tls.post_quantum.offered ? 'offered' : 'not offered',
      'Whether the client offers a group that resists quantum computers, such as X25519MLKEM768.',
    ),
  ];
}

/** Facts that distinguish clients, or prove their identity. */
function identityFacts({ ja3_hash, ja4, client_certs: [certificate] }: TlsFacts): Fact[] {
  return [
    ...fact(
      'JA3',
      ja3_hash,
      'Fingerprint of the ClientHello: its versions, ciphers, extensions and groups, in order. Browsers that shuffle extensions change it each time.',
    ),
    ...fact(
      'JA4',
      ja4,
      'A newer fingerprint, the same for every connection of a client: extensions are sorted.',
    ),
    ...(certificate
      ? fact(
          'Client certificate',
          certificate.subject,
          `The subject that the client proved to be; ${certificate.authorized ? 'verified' : 'not verified'}.`,
        )
      : []),
  ];
}

function http2Group(request: Request): FactGroup {
  const title = 'HTTP/2';
  const { http2, reason } = http2Details(request);
  if (!http2) return { title, facts: [], note: `None: ${reason}.` };
  const settings = http2.settings.map(({ name, value }) => `${name} = ${value}`);
  const { windows } = http2;
  return {
    title,
    facts: [
      ...fact(
        'Fingerprint',
        http2.akamai_fingerprint,
        'SETTINGS, WINDOW_UPDATE, PRIORITY frames and order of pseudo-header fields, in the format of Akamai: tells clients apart.',
      ),
      ...fact('Fingerprint, MD5', http2.akamai_fingerprint_hash, 'The same, short.'),
      ...fact(
        'SETTINGS',
        settings.join(', ') || 'none',
        'What the client said of itself in its first frame (RFC 9113 6.5).',
      ),
      ...fact(
        'WINDOW_UPDATE',
        http2.window_update,
        'Bytes that the client added to the window of the connection initially.',
      ),
      ...fact(
        'Pseudo-header fields',
        http2.pseudo_headers.join(' '),
        'In the order of this request.',
      ),
      ...fact(
        'Priority',
        http2.priority,
        'How urgent the client says that this request is (RFC 9218).',
      ),
      ...fact(
        'Window to you',
        windows?.connection.to_client,
        'Bytes that wirebin may send on the connection before the client allows more.',
      ),
    ],
  };
}

/** Fields that proxies add to requests. */
const FORWARDING = /^(?:forwarded|via|x-forwarded-.*|x-real-ip|x-original-.*)$/i;
/** Tracing fields, which clients and proxies add. */
const TRACING = /^(?:x-request-id|traceparent)$/i;

function isProxied({ connection, fields }: Request): boolean {
  const hasHeader = proxyProtocolView(connection) !== undefined;
  return hasHeader || Array.from(fieldPairs(fields)).some(([name]) => FORWARDING.test(name));
}

const TRUSTED = 'The peer is a trusted proxy (--trust-proxy): what it says of the client is used.';
const NOT_TRUSTED =
  'The peer is not a trusted proxy: these are shown, and not believed. --trust-proxy changes that.';

function proxyGroup(request: Request): FactGroup {
  const header = proxyProtocolView(request.connection);
  const sent = Array.from(fieldPairs(request.fields)).filter(
    ([name]) => FORWARDING.test(name) || TRACING.test(name),
  );
  const facts = [
    ...(header === undefined
      ? []
      : fact(
          'PROXY header',
          header,
          'Sent before the first byte by a proxy of the PROXY protocol: who really connected, and how.',
        )),
    ...sent.flatMap(([name, value]) => fact(name, value, fieldMeaning(name))),
  ];
  const trusted = request.connection.trustedProxies !== undefined;
  if (facts.length === 0) {
    return {
      title: 'Proxies',
      facts,
      note: 'No PROXY header, and no field that a proxy adds, such as Forwarded or Via: either there is none, or it does not say.',
    };
  }
  const notes = [
    ...(sent.length > 0 ? [trusted ? TRUSTED : NOT_TRUSTED] : []),
    ...(isProxied(request) ? ['wirebin check says what a proxy changes.'] : []),
  ];
  return { title: 'Proxies', facts, note: notes.join(' ') };
}

function fieldMeaning(name: string): string {
  switch (name.toLowerCase()) {
    case 'forwarded':
      return 'Client, host and scheme before each proxy (RFC 7239).';
    case 'via':
      return 'The proxies that passed the request on, and their protocols (RFC 9110 7.6.3).';
    case 'x-forwarded-for':
      return 'The addresses before each proxy; the first may be anything that the client wrote.';
    case 'x-forwarded-proto':
      return 'The scheme that the client used.';
    case 'x-forwarded-host':
      return 'The authority that the client used.';
    case 'x-request-id':
    case 'traceparent':
      return 'Ties together what several programs log of one request.';
    default:
      return 'Added by a proxy, or by the client.';
  }
}

function fieldsGroup({ fields }: Request): FactGroup {
  return {
    title: 'Header fields',
    note: 'As they arrived, in order, with their case.',
    facts: Array.from(fieldPairs(fields), ([label, value]) => ({ label, value, meaning: '' })),
  };
}
