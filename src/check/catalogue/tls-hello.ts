import { versionName } from '../../wire/tls/names.ts';
import { topic, type FamilyRule, type TopicCheck } from '../check.ts';
import { differs, fail, pass, type Verdict } from '../verdict.ts';
import { clientHello, type Offer } from '../../wire/tls/client-hello-writer.ts';
import { handshakeRecords, TlsVersion } from '../../wire/tls/record.ts';
import type { HelloReply } from '../client/hello-exchange.ts';
import type { Session } from '../session.ts';

const { tls10, tls11, tls12, tls13 } = TlsVersion;

const HELLO = {
  section: 'RFC 9846 4.2.2',
  level: 'must',
  risk: 'interop',
  needs: ['tls'],
  // The handshake is the same for all protocols, so one is enough.
  fronts: ['http/1.1'],
  observes: 'target',
} as const;

/** Most bytes of a record (RFC 9846 5.1). */
const WHOLE = 2 ** 14;
/** Bytes of a ClientHello that needs more than two Ethernet segments, as with the largest post-quantum key share. */
const LARGE = 3000;
/** A name that never exists (RFC 2606). */
export const UNKNOWN_NAME = 'wirebin-check.invalid';

/** Sends a ClientHello. @param split divides it into segments; by default it is one record in one segment */
function send(
  session: Session,
  offer: Partial<Offer>,
  split: (message: Buffer) => readonly Buffer[] = (message) => [handshakeRecords(message, WHOLE)],
): Promise<HelloReply> {
  const message = clientHello({
    versions: [tls13, tls12],
    servername: session.target.servername,
    alpn: ['h2', 'http/1.1'],
    ...offer,
  });
  return session.hello(split(message));
}

function inPieces(bytes: Buffer, count: number): Buffer[] {
  const size = Math.ceil(bytes.length / count);
  return Array.from({ length: count }, (_, at) => bytes.subarray(at * size, (at + 1) * size));
}

/** A check that a valid ClientHello is read. @param splits sends one ClientHello for each way to split it */
function isRead({
  offer = {},
  splits = [],
  ...rule
}: FamilyRule & {
  readonly offer?: Partial<Offer>;
  readonly splits?: readonly ((message: Buffer) => readonly Buffer[])[];
}): TopicCheck {
  return {
    ...rule,
    async run(session) {
      let found = '';
      for (const split of splits.length > 0 ? splits : [undefined]) {
        const { version, alert, words, transfer } = await send(session, offer, split);
        // An alert shows that the ClientHello was read and refused.
        if (alert !== undefined) return differs(`refused with ${words}`, transfer);
        if (version === undefined) return fail('ServerHello or an alert', words, transfer);
        found = words;
      }
      return pass(found);
    },
  };
}

/** A check that a forbidden TLS version is not negotiated. */
function isRefused(version: number, section: string): TopicCheck {
  const name = versionName(version).replace(/v1$/, 'v1.0').replace('v', ' ');
  return {
    id: `tls/version-${name.slice(-3)}`,
    section,
    rule: `${name} is not negotiated.`,
    risk: 'security',
    async run(session) {
      const reply = await send(session, { versions: [version] });
      return reply.version === undefined
        ? pass(reply.words)
        : fail('the alert protocol_version', reply.words, reply.transfer);
    },
  };
}

const AFTER = ['tls/hello'] as const;

/** Checks of the ClientHello, byte by byte: the versions, sizes, protocols and names that it offers. */
export const tlsHelloChecks = topic(HELLO, [
  isRead({
    id: 'tls/hello',
    rule: 'A ClientHello that offers TLS 1.3 and 1.2 is accepted.',
  }),
  isRefused(tls10, 'RFC 8996 4'),
  isRefused(tls11, 'RFC 8996 5'),
  {
    id: 'tls/version-1.2',
    section: 'RFC 9325 3.1.1',
    rule: 'Whether a client that offers only TLS 1.2 is served.',
    level: 'info',
    async run(session) {
      const { version, words, transfer } = await send(session, { versions: [tls12] });
      return version === tls12 ? pass(words) : differs(words, transfer);
    },
  },
  {
    id: 'tls/version-1.3',
    remedy: {
      advice: 'Allow TLS 1.3.',
      directives: { nginx: [['server', 'ssl_protocols TLSv1.2 TLSv1.3;']] },
    },
    section: 'RFC 9325 3.1.1',
    rule: 'TLS 1.3 is negotiated with a client that offers it.',
    level: 'quality',
    risk: 'security',
    async run(session) {
      const { version, words, transfer } = await send(session, { versions: [tls13, tls12] });
      return version === tls13 ? pass(words) : differs(words, transfer);
    },
  },
  {
    id: 'tls/downgrade',
    section: 'RFC 9846 4.2.3',
    rule: 'A TLS 1.3 server that negotiates TLS 1.2 sets the downgrade marker in its random value.',
    risk: 'security',
    async run(session) {
      const highest = await send(session, {});
      if (highest.version !== tls13) return pass('no TLS 1.3');
      const { version, random, words, transfer } = await send(session, { versions: [tls12] });
      if (version !== tls12) return pass(words);
      const end = random?.toString('latin1', 24) ?? '';
      return end === 'DOWNGRD\u0001'
        ? pass()
        : fail('44 4f 57 4e 47 52 44 01', random?.toString('hex', 24) ?? '', transfer);
    },
  },
  isRead({
    id: 'tls/hello-segments',
    section: 'RFC 9293 3.7',
    rule: 'A ClientHello split over several TCP segments is accepted.',
    after: AFTER,
    splits: [
      (message) => inPieces(handshakeRecords(message, WHOLE), 4),
      // The first segment ends within the record header, which has five bytes.
      (message) => {
        const bytes = handshakeRecords(message, WHOLE);
        return [bytes.subarray(0, 3), bytes.subarray(3)];
      },
    ],
  }),
  isRead({
    id: 'tls/hello-records',
    section: 'RFC 9846 5.1',
    rule: 'A ClientHello split over several TLS records is accepted.',
    after: AFTER,
    // The first record ends within the random value.
    splits: [(message) => [handshakeRecords(message, 32)]],
  }),
  isRead({
    id: 'tls/hello-large',
    section: 'RFC 7685 3',
    rule: 'A ClientHello of more than 1,500 bytes is accepted.',
    after: AFTER,
    offer: { paddedTo: LARGE },
  }),
  isRead({
    id: 'tls/hello-post-quantum',
    section: 'RFC 9846 9.3',
    rule: 'A key share for an unknown group, such as X25519MLKEM768, is ignored.',
    // The ClientHello needs two segments.
    after: ['tls/hello-segments'],
    offer: { hasPostQuantumShare: true },
    splits: [(message) => inPieces(handshakeRecords(message, WHOLE), 2)],
  }),
  {
    id: 'tls/sni-unknown',
    section: 'RFC 6066 3',
    rule: 'An unknown server name is ignored, or refused with a fatal unrecognized_name alert.',
    level: 'should',
    after: AFTER,
    async run(session) {
      const reply = await send(session, { servername: UNKNOWN_NAME });
      if (reply.version === undefined || reply.warnings.length > 0) return judgeUnknownName(reply);
      // A TLS 1.3 server may send the alert encrypted after ServerHello, so the handshake has to be completed.
      const { alert } = await session.handshake({ servername: UNKNOWN_NAME, insecure: true });
      return judgeUnknownName({
        ...reply,
        alert,
        ...(alert !== undefined && { version: undefined, words: alert }),
      });
    },
  },
]);

function judgeUnknownName({ version, alert, warnings, words, transfer }: HelloReply): Verdict {
  const expected = 'a fatal unrecognized_name alert, or the handshake goes on';
  // Some clients treat the warning as fatal (RFC 6066 3).
  if (warnings.includes('unrecognized_name'))
    return fail(expected, 'a warning unrecognized_name alert', transfer);
  if (version !== undefined) return pass('the handshake goes on');
  if (alert === 'unrecognized_name') return pass(words);
  return alert === undefined ? fail(expected, words, transfer) : differs(words, transfer);
}
