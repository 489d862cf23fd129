import { issue, makeAuthority } from '../../_certificates.ts';
import type { OriginTls } from '../_gateway-origin.ts';
import type { TlsDeviation } from '../_gateway-tls.ts';
import type { InnerRecord } from '../../../src/inspect/tls/traffic-keys.ts';
import { ContentType } from '../../../src/wire/tls/record.ts';
import { UNKNOWN_NAME } from '../../../src/check/catalogue/tls-hello.ts';
import { differs, wrong, type Setup, type Turns, type WrongProxy } from '../_wrong.ts';

export const wrongTls = (
  name: string,
  turns: Turns,
  tls: TlsDeviation,
  setup: Setup = { scheme: 'https' },
): WrongProxy => ({ ...wrong(name, turns, { tls }), setup });

/** Closes connections whose first segment has these bytes. */
const closing = (...bytes: readonly number[]): TlsDeviation => ({
  closes: (first) => first.includes(Buffer.from(bytes)),
});

const RECORD_HEADER = 5;
const { alert: ALERT, applicationData: APPLICATION_DATA } = ContentType;
/** Where the first record ends; Infinity if not all of its header has come. */
const recordEnd = (first: Buffer): number =>
  first.length < RECORD_HEADER ? Infinity : RECORD_HEADER + first.readUInt16BE(3);
const isWhole = (first: Buffer): boolean => first.length >= recordEnd(first);
const hasUnknownName = (first: Buffer): boolean => first.includes(UNKNOWN_NAME);

const versions: readonly WrongProxy[] = [
  wrongTls('accepts TLS 1.0', ['tls/version-1.0', 'tls/version-1.1'], {
    options: { minVersion: 'TLSv1', ciphers: 'DEFAULT@SECLEVEL=0' },
  }),
  wrongTls('accepts TLS 1.1', 'tls/version-1.1', {
    options: { minVersion: 'TLSv1.1', ciphers: 'DEFAULT@SECLEVEL=0' },
  }),
  wrongTls(
    'has TLS 1.3 only',
    {
      'tls/version-1.2': 'differs',
      'tls/renegotiation': 'not-applicable',
      'tls/renegotiation-h2': 'not-applicable',
    },
    { options: { minVersion: 'TLSv1.3' } },
  ),
  wrongTls('has no TLS 1.3', differs('tls/version-1.3'), { options: { maxVersion: 'TLSv1.2' } }),
  wrongTls(
    'hides that it has TLS 1.3',
    {
      'tls/downgrade': 'fail',
      'tls/renegotiation': 'not-applicable',
      'tls/renegotiation-h2': 'not-applicable',
    },
    {
      record: (record) => {
        const at = record.indexOf('DOWNGRD\u0001');
        if (at !== -1) record.fill(0, at, at + 8);
        return record;
      },
    },
  ),
];

const hellos: readonly WrongProxy[] = [
  wrongTls(
    'needs an extension that is optional',
    // encrypt_then_mac, without content.
    {
      'tls/hello': 'fail',
      'tls/version-1.2': 'differs',
      'tls/version-1.3': 'differs',
    },
    { closes: (first) => !first.includes(Buffer.of(0, 22, 0, 0)) },
  ),
  wrongTls('reads one segment', 'tls/hello-segments', { closes: (first) => !isWhole(first) }),
  wrongTls('reads one record', 'tls/hello-records', {
    closes: (first) => first.length > recordEnd(first),
  }),
  wrongTls('refuses a ClientHello of more than 1,800 bytes', 'tls/hello-large', {
    closes: (first) => first.length > 1800,
  }),
  wrongTls(
    'refuses key shares that it does not know',
    'tls/hello-post-quantum',
    closing(0x11, 0xec, 0x04, 0xc0),
  ),
];

const protocols: readonly WrongProxy[] = [
  wrongTls('prefers http/1.1 by ALPN', differs('tls/alpn-h2'), {
    options: {
      ALPNProtocols: undefined,
      ALPNCallback: ({ protocols: offered }) =>
        ['http/1.1', 'h2'].find((name) => offered.includes(name)),
    },
  }),
  wrongTls(
    'ignores ALPN',
    { 'tls/alpn-h2': 'differs', 'tls/alpn-http1': 'differs', 'tls/alpn-unknown': 'differs' },
    { options: { ALPNProtocols: undefined } },
  ),
  wrongTls('selects any protocol that is offered', 'tls/alpn-unknown', {
    options: { ALPNProtocols: undefined, ALPNCallback: ({ protocols: [first] }) => first },
  }),
  wrongTls('speaks HTTP/2 without ALPN', 'tls/alpn-none', { assumesHttp2: true }),
];

const CRLF = Buffer.from('\r\n');
/** A warning that closes nothing (RFC 9846 6.1). */
const USER_CANCELED = Buffer.of(1, 90);

/** The plaintext of a record of TLS 1.3 (RFC 9846 5.2). @param padding bytes of zeros */
export function plaintextOf({ type, content }: InnerRecord, padding = 0): Buffer {
  return Buffer.concat([content, Buffer.of(type), Buffer.alloc(padding)]);
}

const connections: readonly WrongProxy[] = [
  wrongTls(
    'closes connections without close_notify',
    // Longer than an alert in cleartext.
    'tls/close-notify',
    {
      record: (record) =>
        record[0] === ALERT && record.length > RECORD_HEADER + 2 ? undefined : record,
    },
  ),
  wrongTls('closes connections of TLS 1.3 without close_notify', 'tls/close-notify', {
    inner: (inner) => (inner.type === ALERT ? undefined : plaintextOf(inner)),
  }),
  wrongTls('sends data of the size of close_notify in its place', 'tls/close-notify', {
    inner: (inner) =>
      plaintextOf(inner.type === ALERT ? { type: APPLICATION_DATA, content: CRLF } : inner),
  }),
  wrongTls('sends another alert in place of close_notify', 'tls/close-notify', {
    inner: (inner) =>
      plaintextOf(inner.type === ALERT ? { type: ALERT, content: USER_CANCELED } : inner),
  }),
  wrongTls(
    'renegotiates',
    { 'tls/renegotiation': 'differs', 'tls/renegotiation-h2': 'fail' },
    { renegotiates: true },
  ),
  wrongTls('forgets sessions', differs('tls/resumption'), { forgetsSessions: true }),
];

const names: readonly WrongProxy[] = [
  wrongTls('needs a server name', differs('tls/sni-none'), {
    closes: (first) =>
      isWhole(first) && !first.includes('localhost') && !first.includes(UNKNOWN_NAME),
  }),
  wrongTls(
    'closes connections with an unknown server name',
    { 'tls/sni-unknown': 'fail', 'tls/sni-other-host': 'pass' },
    { closes: hasUnknownName },
  ),
  wrongTls('warns of an unknown server name', 'tls/sni-unknown', {
    greeting: (first) =>
      hasUnknownName(first) ? Buffer.of(ALERT, 3, 3, 0, 2, 1, 112) : Buffer.alloc(0),
  }),
  {
    name: 'answers 421 to another host than the server name',
    deviation: {
      refuses: ({ servername, authority }) =>
        authority.replace(/:\d+$/, '') === servername ? undefined : 421,
    },
    turns: { 'tls/misdirected': 'pass', 'tls/sni-other-host': 'pass' },
    setup: { scheme: 'https' },
  },
];

const authority = await makeAuthority('Authority');
const others = await issue('other.example', {});
const unchained = await issue('other.example', { by: authority });

const certificates: readonly WrongProxy[] = [
  wrongTls('has a certificate for another name', 'tls/certificate-name', { options: others }),
  wrongTls(
    'does not send all certificates',
    { 'tls/certificate-name': 'fail', 'tls/certificate-chain': 'differs' },
    { options: unchained },
  ),
];

export const wrongOriginTls = (name: string, turns: Turns, originTls: OriginTls): WrongProxy => ({
  ...wrong(name, turns, { originTls }),
  setup: { scheme: 'https', hasOriginTls: true },
});

const origins: readonly WrongProxy[] = [
  {
    name: 'uses TLS to the origin',
    deviation: { originTls: {} },
    turns: { 'tls/origin': 'pass' },
    setup: { scheme: 'https' },
  },
  wrongOriginTls('uses TLS 1.2 to the origin', differs('tls/origin-version'), {
    maxVersion: 'TLSv1.2',
  }),
  wrongOriginTls('offers the origin no protocol', differs('tls/origin-alpn'), {
    ALPNProtocols: [],
  }),
  wrongOriginTls('sends the origin no server name', differs('tls/origin-sni'), { servername: '' }),
  wrongOriginTls('sends the origin another server name', differs('tls/origin-sni'), {
    servername: 'origin.internal',
  }),
  wrongOriginTls('never resumes a session at the origin', differs('tls/origin-resumption'), {
    neverResumes: true,
  }),
  wrongOriginTls(
    'presents a certificate to the origin',
    {
      'tls/origin-client-certificate': 'pass',
    },
    others,
  ),
];

/** Gateways that are wrong in TLS. */
export const wrongTlsProxies: readonly WrongProxy[] = [
  ...versions,
  ...hellos,
  ...protocols,
  ...connections,
  ...names,
  ...certificates,
  ...origins,
];
