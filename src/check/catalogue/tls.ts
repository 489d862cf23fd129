import type { TLSSocket } from 'node:tls';
import { checkServerIdentity, rootCertificates } from 'node:tls';
import { X509Certificate } from 'node:crypto';
import { FrameType } from '../../wire/http2/frame.ts';
import { topic, type FamilyRule, type TopicCheck } from '../check.ts';
import { differs, fail, notApplicable, pass, type Verdict } from '../verdict.ts';
import { FRONTS } from '../front.ts';
import type { Opened } from '../client/connect.ts';
import { recordsText } from '../client/hello-exchange.ts';
import { Http2Client } from '../client/http2-client.ts';
import { ServerRecords } from '../client/server-records.ts';
import { outcomeOf } from '../message.ts';
import type { Session } from '../session.ts';
import { hostOf } from '../target.ts';
import { UNKNOWN_NAME } from './tls-hello.ts';

const TLS = {
  section: 'RFC 9846 4.2.2',
  level: 'quality',
  risk: 'interop',
  needs: ['tls'],
  fronts: ['http/1.1'],
  observes: 'target',
} as const;

/** The protocol that the target has selected by ALPN. */
const selectedBy = (opened: Opened | undefined): string =>
  opened?.tls?.alpnProtocol || 'no protocol';

/** A check that a protocol is selected of those that a client offers. */
const selects = ({
  alpn,
  wanted,
  ...rule
}: FamilyRule & { readonly alpn: readonly string[]; readonly wanted: string }): TopicCheck => ({
  section: 'RFC 7301 3.2',
  ...rule,
  async run(session) {
    const { opened, transfer } = await session.handshake({ alpn });
    const selected = selectedBy(opened);
    return selected === wanted ? pass(selected) : differs(selected, transfer);
  },
});

const protocols: readonly TopicCheck[] = [
  selects({
    id: 'tls/alpn-h2',
    rule: 'h2 is selected for a client that offers h2 and http/1.1.',
    risk: 'latency',
    alpn: ['h2', 'http/1.1'],
    wanted: 'h2',
  }),
  selects({
    id: 'tls/alpn-http1',
    rule: 'http/1.1 is selected for a client that offers only http/1.1.',
    alpn: ['http/1.1'],
    wanted: 'http/1.1',
  }),
  {
    id: 'tls/alpn-unknown',
    section: 'RFC 7301 3.2',
    rule: 'A client that offers no supported protocol receives the alert no_application_protocol.',
    level: 'must',
    async run(session) {
      const { opened, alert, words, transfer } = await session.handshake({ alpn: ['check/1'] });
      if (opened) {
        const known = await session.handshake({ alpn: ['http/1.1'] });
        // The extension is optional (RFC 7301 3.1): a server without it ignores it.
        const isUnused = !opened.tls?.alpnProtocol && !known.opened?.tls?.alpnProtocol;
        if (known.opened && isUnused) return differs('ALPN is not used', transfer, known.transfer);
        const found = `the handshake is complete, with ${selectedBy(opened)}`;
        return fail('the alert no_application_protocol', found, transfer);
      }
      return alert === 'no_application_protocol' ? pass(words) : differs(words, transfer);
    },
  },
  {
    id: 'tls/alpn-none',
    section: 'RFC 9113 3.2',
    rule: 'HTTP/2 is not used with a client that does not send ALPN.',
    level: 'must',
    async run(session) {
      const { opened, words, transfer: refusal } = await session.handshake({ alpn: [] });
      if (!opened) return differs(`refused: ${words}`, refusal);
      const client = session.target.http1Over(opened);
      const { transfer, received } = await session.echoOn(client);
      const isHttp2 =
        transfer.received.startsWith('\0\0') &&
        transfer.received.charCodeAt(3) === FrameType.settings;
      if (isHttp2) return fail('a response of HTTP/1.1', 'frames of HTTP/2', transfer);
      return received ? pass('HTTP/1.1') : differs(outcomeOf(transfer), transfer);
    },
  },
];

/** What a target does when it is asked for a renegotiation. */
type Renegotiation = 'done' | 'refused' | 'unanswered';

function renegotiate(tls: TLSSocket, time: number): Promise<Renegotiation> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve('unanswered'), time);
    const end = (result: Renegotiation) => (): void => {
      clearTimeout(timer);
      resolve(result);
    };
    const refused = end('refused');
    tls.once('error', refused).once('end', refused).once('close', refused);
    tls.renegotiate({ rejectUnauthorized: false }, (error) =>
      end(error === null ? 'done' : 'refused')(),
    );
  });
}

/** Fraction of the time in which a handshake of a target ends whose silence is its answer. */
const QUICK = 1 / 8;
/** Handshakes of which one has to be quick: a busy machine holds up any of them. */
const HANDSHAKES = 3;

/** The verdict on a renegotiation that is not done. A target that takes long for every handshake may still do it. */
async function judgeUnrenegotiated(session: Session, found: Renegotiation): Promise<Verdict> {
  if (found === 'refused') return pass('refused');
  let quickest = Infinity;
  for (let number = 1; number <= HANDSHAKES; number++) {
    const { opened, transfer } = await session.handshake({ maxVersion: 'TLSv1.2' });
    if (opened && transfer.duration < QUICK * session.time) return pass('ignored');
    quickest = Math.min(quickest, transfer.duration);
  }
  return notApplicable(`no answer, and a handshake takes ${Math.round(quickest)} ms`);
}

const connections: readonly TopicCheck[] = [
  {
    id: 'tls/close-notify',
    section: 'RFC 9846 6.1',
    rule: 'close_notify is sent before the connection is closed, so that truncation can be detected.',
    level: 'must',
    risk: 'data-loss',
    run: closeNotify,
  },
  {
    id: 'tls/renegotiation',
    section: 'RFC 9325 3.5',
    rule: 'A TLS 1.2 client cannot renegotiate.',
    risk: 'security',
    async run(session) {
      const { opened, words } = await session.handshake({
        alpn: ['http/1.1'],
        maxVersion: 'TLSv1.2',
      });
      if (!opened?.tls) return notApplicable(`no TLS 1.2: ${words}`);
      const client = session.target.http1Over(opened);
      const found = await renegotiate(opened.tls, session.time);
      if (found !== 'done') return judgeUnrenegotiated(session, found);
      const { transfer, received } = await session.echoOn(client);
      return received ? differs('renegotiation, then a response', transfer) : pass('closed');
    },
  },
  {
    id: 'tls/renegotiation-h2',
    section: 'RFC 9113 9.2.1',
    rule: 'Renegotiation on an HTTP/2 connection is a connection error.',
    level: 'must',
    risk: 'security',
    fronts: ['h2'],
    async run(session) {
      const { opened, words } = await session.handshake({
        alpn: ['h2'],
        maxVersion: 'TLSv1.2',
      });
      if (!opened?.tls) return notApplicable(`no TLS 1.2: ${words}`);
      const { authority, prefix } = session.target;
      const client = new Http2Client(opened, { authority, scheme: 'https', prefix });
      await client.until(() => client.settings !== undefined || client.isClosed, session.time);
      const found = await renegotiate(opened.tls, session.time);
      if (found !== 'done') return judgeUnrenegotiated(session, found);
      const transfer = await session.sendOn(client, { target: '/healthz' });
      return transfer.response
        ? fail('the connection closed', 'renegotiation, then a response', transfer)
        : pass(transfer.ending);
    },
  },
  {
    id: 'tls/resumption',
    section: 'RFC 9846 2.2',
    rule: 'A second handshake resumes the TLS session.',
    risk: 'latency',
    async run(session) {
      const first = await session.handshake();
      const { tls, stream } = first.opened ?? (await session.connect());
      const ticket = tls && (await sessionOf(tls, session));
      stream.destroy();
      if (!ticket) return differs('no session ticket', first.transfer);
      const { opened, transfer } = await session.handshake({ session: ticket });
      return opened?.tls?.isSessionReused() === true
        ? pass()
        : differs('a full handshake', first.transfer, transfer);
    },
  },
];

/** The session to resume; undefined without one. TLS 1.3 sends it after the handshake, in NewSessionTicket. */
async function sessionOf(tls: TLSSocket, { target, time }: Session): Promise<Buffer | undefined> {
  if (tls.getProtocol() !== 'TLSv1.3') return tls.getSession();
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(undefined), time / 4);
    tls.once('session', (value: Buffer) => {
      clearTimeout(timer);
      resolve(value);
    });
    tls.write(`GET ${target.prefix}/healthz HTTP/1.1\r\nHost: ${target.authority}\r\n\r\n`);
    tls.resume();
  });
}

/** Checks close_notify with TLS 1.2, and with the version that the target prefers. */
async function closeNotify(session: Session): Promise<Verdict> {
  const older = await closesInOrder(session, 'TLSv1.2');
  if (older.outcome === 'fail') return older;
  const preferred = await closesInOrder(session);
  return preferred.outcome === 'not-applicable' ? older : preferred;
}

async function closesInOrder(session: Session, maxVersion?: 'TLSv1.2'): Promise<Verdict> {
  const records = new ServerRecords();
  const { opened, words } = await session.handshake({ maxVersion, ...records.listeners });
  if (!opened?.tls) return notApplicable(words);
  // Read before the connection closes: a closed socket has no cipher.
  const { standardName } = opened.tls.getCipher();
  const suite = opened.tls.getProtocol() === 'TLSv1.3' ? standardName : undefined;
  const client = session.target.http1Over(opened);
  const message = { target: '/json', fields: [['Connection', 'close'] as const] };
  const transfer = await session.sendOn(client, message);
  if (!transfer.response) return fail('a response', transfer.ending, transfer);
  if (!(await client.closed(session.time / 2))) return notApplicable('the connection stays open');
  const alert = records.alertAtEnd(suite);
  if (alert === 'close_notify') return pass();
  const received = `${transfer.received}\n${recordsText(records.last)}`;
  const end = client.isReset ? 'RST' : 'the end of TCP';
  const found = alert === undefined ? end : `the alert ${alert}, then ${end}`;
  return fail('close_notify, then the end of TCP', found, { ...transfer, received });
}

const names: readonly TopicCheck[] = [
  {
    id: 'tls/sni-none',
    section: 'RFC 6066 3',
    rule: 'Whether a client that sends no server name is served.',
    level: 'info',
    async run(session) {
      const { opened, words, transfer } = await session.handshake({
        servername: undefined,
        insecure: true,
      });
      return opened ? pass() : differs(words, transfer);
    },
  },
  {
    id: 'tls/misdirected',
    section: 'RFC 9110 15.5.20',
    rule: 'How a request is handled whose host differs from the server name of the TLS handshake.',
    level: 'info',
    risk: 'security',
    fronts: FRONTS,
    async run(session) {
      const echo = await session.echo({ authority: 'other.example' });
      const { status } = echo.transfer.response ?? {};
      return status === 421
        ? pass('421')
        : differs(echo.received ? 'forwarded' : outcomeOf(echo.transfer), echo.transfer);
    },
  },
  {
    id: 'tls/sni-other-host',
    section: 'RFC 9110 7.4',
    rule: 'How a request for the host of the target is handled on a connection with another server name.',
    level: 'info',
    risk: 'security',
    async run(session) {
      const { opened, words } = await session.handshake({
        servername: UNKNOWN_NAME,
        insecure: true,
      });
      if (!opened) return pass(`the handshake fails: ${words}`);
      const client = session.target.http1Over(opened);
      const { transfer, received } = await session.echoOn(client);
      const { status } = transfer.response ?? {};
      if (status === 421) return pass('421');
      return differs(received ? 'forwarded' : outcomeOf(transfer), transfer);
    },
  },
];

/** Handshakes, and returns the certificates that the target sent, its own first, with the handshake as evidence. */
async function certificatesOf(session: Session) {
  const { opened, words, transfer } = await session.handshake({ insecure: true });
  const chain: X509Certificate[] = [];
  let certificate = opened?.tls?.getPeerX509Certificate();
  for (; certificate; certificate = certificate.issuerCertificate) chain.push(certificate);
  const received = [transfer.received, ...chain.map(certificateText)].join('\n');
  return { chain, words, transfer: { ...transfer, received } };
}

function certificateText(certificate: X509Certificate, at: number): string {
  const { subject, issuer, subjectAltName = 'none', validFrom, validTo } = certificate;
  return [
    `certificate ${at + 1}: ${oneLineName(subject)}`,
    `  names: ${subjectAltName}`,
    `  issuer: ${oneLineName(issuer)}`,
    `  valid from ${validFrom} to ${validTo}`,
  ].join('\n');
}

const certificates: readonly TopicCheck[] = [
  {
    id: 'tls/certificate-name',
    section: 'RFC 9110 4.3.4',
    rule: 'The certificate matches the host of the URL and is currently valid.',
    risk: 'security',
    async run(session) {
      const { chain, words, transfer } = await certificatesOf(session);
      const certificate = chain[0]?.toLegacyObject();
      if (!certificate) return notApplicable(words || 'no certificate');
      const host = hostOf(session.target.url);
      const wrong = checkServerIdentity(host, certificate);
      if (wrong) return fail(`a certificate for ${host}`, wrong.message, transfer);
      const now = Date.now();
      const isValid =
        Date.parse(certificate.valid_from) <= now && now <= Date.parse(certificate.valid_to);
      return isValid
        ? pass(`valid to ${certificate.valid_to}`)
        : fail('a valid certificate', `valid to ${certificate.valid_to}`, transfer);
    },
  },
  {
    id: 'tls/certificate-chain',
    section: 'RFC 9846 4.5.1',
    rule: 'The certificates sent form a chain to a trusted root.',
    async run(session) {
      const { chain, words, transfer } = await certificatesOf(session);
      const last = chain.at(-1);
      if (!last) return notApplicable(words || 'no certificate');
      for (const [at, certificate] of chain.entries()) {
        const next = chain[at + 1];
        if (next && !certificate.checkIssued(next))
          return differs(`certificate ${at + 2} did not issue the one before it`, transfer);
      }
      const isComplete = isSelfSigned(last) || isCertifiedByRoot(last, session.target.ca);
      const sent = `${chain.length} sent`;
      if (isComplete) return pass(sent);
      const issuer = oneLineName(last.issuer);
      return differs(`${sent}; the issuer is neither sent nor a trusted root: ${issuer}`, transfer);
    },
  },
];

/** Whether a certificate is self-signed. checkIssued() would be false if the certificate may not sign others. */
function isSelfSigned(certificate: X509Certificate): boolean {
  return certificate.subject === certificate.issuer && certificate.verify(certificate.publicKey);
}

/** Whether a root of Node, or of --cacert, certifies the certificate. */
function isCertifiedByRoot(certificate: X509Certificate, ca: string | Buffer = ''): boolean {
  const own = String(ca).match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];
  return [...own, ...rootCertificates].some((pem) => {
    const root = new X509Certificate(pem);
    return certificate.checkIssued(root) && certificate.verify(root.publicKey);
  });
}

function oneLineName(distinguishedName: string): string {
  return distinguishedName.split('\n').join(', ');
}

/** TLS between client and target. */
export const tlsChecks = topic(TLS, [...protocols, ...connections, ...names, ...certificates]);
