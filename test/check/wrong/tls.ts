import { issue, makeAuthority } from '../../_certificates.ts';
import type { OriginTls } from '../_gateway-origin.ts';
import type { TlsDeviation } from '../_gateway-tls.ts';
import { UNKNOWN_NAME } from '../../../src/check/catalogue/tls-hello.ts';
import type { Setup, WrongProxy } from '../_wrong.ts';

const wrongTls = (
  name: string,
  tls: TlsDeviation,
  turns: WrongProxy['turns'],
  setup: Setup = { scheme: 'https' },
): WrongProxy => ({ name, deviation: { tls }, turns, setup });

const fails = (name: string, id: string, tls: TlsDeviation): WrongProxy =>
  wrongTls(name, tls, { [id]: 'fail' });

/** Closes connections whose first segment has these bytes. */
const closing = (...bytes: readonly number[]): TlsDeviation => ({
  closes: (first) => first.includes(Buffer.from(bytes)),
});

const RECORD_HEADER = 5;
const ALERT = 21;
/** Where the first record ends; Infinity if not all of its header has come. */
const recordEnd = (first: Buffer): number =>
  first.length < RECORD_HEADER ? Infinity : RECORD_HEADER + first.readUInt16BE(3);
const isWhole = (first: Buffer): boolean => first.length >= recordEnd(first);
const hasUnknownName = (first: Buffer): boolean => first.includes(UNKNOWN_NAME);

const versions: readonly WrongProxy[] = [
  wrongTls(
    'accepts TLS 1.0',
    { options: { minVersion: 'TLSv1', ciphers: 'DEFAULT@SECLEVEL=0' } },
    { 'tls/version-1.0': 'fail', 'tls/version-1.1': 'fail' },
  ),
  fails('accepts TLS 1.1', 'tls/version-1.1', {
    options: { minVersion: 'TLSv1.1', ciphers: 'DEFAULT@SECLEVEL=0' },
  }),
  wrongTls(
    'has TLS 1.3 only',
    { options: { minVersion: 'TLSv1.3' } },
    {
      'tls/version-1.2': 'differs',
      'tls/renegotiation': 'not-applicable',
      'tls/renegotiation-h2': 'not-applicable',
    },
  ),
  wrongTls(
    'has no TLS 1.3',
    { options: { maxVersion: 'TLSv1.2' } },
    { 'tls/version-1.3': 'differs' },
  ),
  wrongTls(
    'hides that it has TLS 1.3',
    {
      record: (record) => {
        const at = record.indexOf('DOWNGRD\u0001');
        if (at !== -1) record.fill(0, at, at + 8);
        return record;
      },
    },
    // The handshake of a client that compares the messages fails.
    {
      'tls/downgrade': 'fail',
      'tls/renegotiation': 'not-applicable',
      'tls/renegotiation-h2': 'not-applicable',
    },
  ),
];

const hellos: readonly WrongProxy[] = [
  wrongTls(
    'needs an extension that is optional',
    // encrypt_then_mac, without content.
    { closes: (first) => !first.includes(Buffer.of(0, 22, 0, 0)) },
    {
      'tls/hello': 'fail',
      'tls/version-1.2': 'differs',
      'tls/version-1.3': 'differs',
      'tls/hello-segments': 'blocked',
      'tls/hello-records': 'blocked',
      'tls/hello-large': 'blocked',
      'tls/hello-post-quantum': 'blocked',
      'tls/sni-unknown': 'blocked',
    },
  ),
  wrongTls(
    'reads one segment',
    { closes: (first) => !isWhole(first) },
    { 'tls/hello-segments': 'fail', 'tls/hello-post-quantum': 'blocked' },
  ),
  fails('reads one record', 'tls/hello-records', {
    closes: (first) => first.length > recordEnd(first),
  }),
  fails('refuses a ClientHello of more than 1,800 bytes', 'tls/hello-large', {
    closes: (first) => first.length > 1800,
  }),
  wrongTls('refuses key shares that it does not know', closing(0x11, 0xec, 0x04, 0xc0), {
    'tls/hello-post-quantum': 'fail',
  }),
];

const protocols: readonly WrongProxy[] = [
  wrongTls(
    'prefers http/1.1 by ALPN',
    {
      options: {
        ALPNProtocols: undefined,
        ALPNCallback: ({ protocols: offered }) =>
          ['http/1.1', 'h2'].find((name) => offered.includes(name)),
      },
    },
    { 'tls/alpn-h2': 'differs' },
  ),
  wrongTls(
    'ignores ALPN',
    { options: { ALPNProtocols: undefined } },
    { 'tls/alpn-h2': 'differs', 'tls/alpn-http1': 'differs', 'tls/alpn-unknown': 'fail' },
  ),
  fails('selects any protocol that is offered', 'tls/alpn-unknown', {
    options: { ALPNProtocols: undefined, ALPNCallback: ({ protocols: [first] }) => first },
  }),
  wrongTls('speaks HTTP/2 without ALPN', { assumesHttp2: true }, { 'tls/alpn-none': 'fail' }),
];

const connections: readonly WrongProxy[] = [
  wrongTls(
    'closes connections without close_notify',
    // Longer than an alert in cleartext.
    {
      record: (record) =>
        record[0] === ALERT && record.length > RECORD_HEADER + 2 ? undefined : record,
    },
    { 'tls/close-notify': 'fail' },
  ),
  wrongTls(
    'renegotiates',
    { renegotiates: true },
    { 'tls/renegotiation': 'differs', 'tls/renegotiation-h2': 'fail' },
  ),
  wrongTls('forgets sessions', { forgetsSessions: true }, { 'tls/resumption': 'differs' }),
];

const names: readonly WrongProxy[] = [
  wrongTls(
    'needs a server name',
    {
      closes: (first) =>
        isWhole(first) && !first.includes('localhost') && !first.includes(UNKNOWN_NAME),
    },
    { 'tls/sni-none': 'differs' },
  ),
  wrongTls(
    'closes connections with an unknown server name',
    { closes: hasUnknownName },
    { 'tls/sni-unknown': 'fail', 'tls/sni-other-host': 'pass' },
  ),
  fails('warns of an unknown server name', 'tls/sni-unknown', {
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
  fails('has a certificate for another name', 'tls/certificate-name', { options: others }),
  wrongTls(
    'does not send all certificates',
    { options: unchained },
    { 'tls/certificate-name': 'fail', 'tls/certificate-chain': 'differs' },
  ),
];

const wrongOriginTls = (
  name: string,
  originTls: OriginTls,
  turns: WrongProxy['turns'],
): WrongProxy => ({
  name,
  deviation: { originTls },
  turns,
  setup: { scheme: 'https', hasOriginTls: true },
});

const origins: readonly WrongProxy[] = [
  {
    name: 'uses TLS to the origin',
    deviation: { originTls: {} },
    turns: { 'tls/origin': 'pass' },
    setup: { scheme: 'https' },
  },
  wrongOriginTls(
    'uses TLS 1.2 to the origin',
    { maxVersion: 'TLSv1.2' },
    { 'tls/origin-version': 'differs' },
  ),
  wrongOriginTls(
    'offers the origin no protocol',
    { ALPNProtocols: [] },
    { 'tls/origin-alpn': 'differs' },
  ),
  wrongOriginTls(
    'sends the origin no server name',
    { servername: '' },
    { 'tls/origin-sni': 'differs' },
  ),
  wrongOriginTls(
    'sends the origin another server name',
    { servername: 'origin.internal' },
    { 'tls/origin-sni': 'differs' },
  ),
  wrongOriginTls(
    'never resumes a session at the origin',
    { neverResumes: true },
    { 'tls/origin-resumption': 'differs' },
  ),
  wrongOriginTls('presents a certificate to the origin', others, {
    'tls/origin-client-certificate': 'pass',
  }),
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
