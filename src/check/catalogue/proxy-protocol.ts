import { topic, type Check, type FamilyRule, type TopicCheck } from '../check.ts';
import { differs, fail, notApplicable, pass, type Verdict } from '../verdict.ts';
import { failureText, isConnectError, isTimeout } from '../client/connect.ts';
import {
  checksummedHeader,
  localHeader,
  proxyHeader,
  version2,
  type ProxyVersion,
} from '../../wire/proxy-protocol/write.ts';
import { outcomeOf, valuesOf, type RequestMessage, type Transfer } from '../message.ts';
import { receivedOf, tagged, type Received } from '../origin.ts';
import type { Session } from '../session.ts';
import { sendOpening } from './upgrade.ts';

export const PROXY = {
  section: 'proxy-protocol.txt 2',
  level: 'must',
  risk: 'interop',
  needs: ['proxy-protocol'],
  // The PROXY header comes before any protocol, so one protocol is enough.
  fronts: ['http/1.1'],
} as const;

/** Documentation addresses (RFC 5737, RFC 3849): if the origin receives them, they came from the PROXY header. */
export const SOURCE = { source: '192.0.2.10', sourcePort: 4321 };
const SOURCE_IPV6 = { source: '2001:db8:0:0:0:0:0:10', sourcePort: 4321 };

/** The result of a request on a connection that begins with the given bytes. */
export interface Attempt {
  readonly received: Received | undefined;
  /** What came in place of the echo, in words. */
  readonly words: string;
  readonly evidence: readonly Transfer[];
}

async function requestAfter(
  session: Session,
  header: Buffer,
  request: Partial<RequestMessage> = {},
): Promise<Attempt> {
  const tag = session.newTag();
  try {
    const client = await session.openHttp1(header);
    const message = tagged(tag, { target: `/anything/${tag}`, ...request });
    const sent = await client.send(message, { time: session.time });
    const transfer = session.record({ ...sent, sent: header.toString('latin1') + sent.sent });
    return {
      received: receivedOf(transfer, tag),
      words: outcomeOf(transfer),
      evidence: [transfer],
    };
  } catch (error) {
    if (isConnectError(error)) throw error;
    // With TLS, the target may take the bytes for a bad handshake.
    if (!isTimeout(error)) session.observe('target');
    return { received: undefined, words: failureText(error), evidence: [] };
  }
}

/** Where the origin receives an address: in fields, or in a PROXY header of its own connection. */
function placesOf({ fields, proxyProtocol }: Received, address: string): string[] {
  const short = address.replace(/:(?:0:)+/, '::');
  const has = (value: string): boolean => value.includes(address) || value.includes(short);
  const places = fields.filter(([, value]) => has(value)).map(([name]) => name);
  return has(proxyProtocol?.source ?? '') ? [...places, 'PROXY header'] : places;
}

/** The first forwarding field of the request, as text for the verdict. */
function forwardedAddress({ fields }: Received): string {
  const [field] = ['forwarded', 'x-forwarded-for', 'x-real-ip'].flatMap((name) =>
    valuesOf(fields, name).map((value) => `${name}: ${value}`),
  );
  return field ?? 'no field contains an address';
}

/** A fact: whether a PROXY header is accepted. */
function accepts(id: Check['id'], rule: string, header: () => Buffer): TopicCheck {
  return {
    id,
    rule,
    level: 'info',
    async run(session) {
      const { received, words, evidence } = await requestAfter(session, header());
      return received ? pass() : differs(words, ...evidence);
    },
  };
}

/** A check that the origin receives the address of a PROXY header. */
function forwards(id: Check['id'], family: string, source: typeof SOURCE): TopicCheck {
  return {
    id,
    section: 'RFC 7239 5.2',
    rule: `The origin receives the ${family} address of the PROXY header.`,
    level: 'quality',
    async run(session) {
      let verdict: Verdict | undefined;
      for (const version of ['v1', 'v2'] as const) {
        const { received, words, evidence } = await requestAfter(
          session,
          proxyHeader(version, source),
        );
        // Whether the version is accepted at all is judged by `accepts()`.
        if (!received) {
          verdict ??= differs(words, ...evidence);
          continue;
        }
        const places = placesOf(received, source.source);
        if (places.length === 0)
          return differs(`version ${version.slice(1)}: ${forwardedAddress(received)}`, ...evidence);
        verdict = pass(places.join(', '));
      }
      return verdict ?? notApplicable('no version');
    },
  };
}

/** A check of a PROXY header that receivers must accept. @param hasAddress whether it contains `SOURCE` */
function mustAccept({
  version,
  header,
  hasAddress = false,
  ...rule
}: FamilyRule & {
  readonly version: ProxyVersion;
  readonly header: () => Buffer;
  readonly hasAddress?: boolean;
}): TopicCheck {
  return {
    ...rule,
    after: [`proxy-protocol/${version}`],
    async run(session) {
      const ordinary = await requestAfter(session, proxyHeader(version, SOURCE));
      if (!ordinary.received) return notApplicable(`no version ${version.slice(1)}`);
      const { received, words, evidence } = await requestAfter(session, header());
      if (!received) return fail('the request is served', words, ...evidence);
      const isForwarded = placesOf(ordinary.received, SOURCE.source).length > 0;
      const hasSource = placesOf(received, SOURCE.source).length > 0;
      const found = forwardedAddress(received);
      if (hasAddress && isForwarded && !hasSource)
        return fail(`${SOURCE.source} forwarded`, found, ...evidence);
      if (!hasAddress && hasSource)
        return fail('the address of the connection', `${SOURCE.source} of another`, ...evidence);
      return !hasAddress && isForwarded && placesOf(received, '0.0.0.0').length > 0
        ? fail('the address of the connection', found, ...evidence)
        : pass();
    },
  };
}

const NO_HEADER = Buffer.alloc(0);

const MALFORMED = [
  'PROXY TCP4 192.0.2.10 192.0.2.1',
  'PROXY TCP5 192.0.2.10 192.0.2.1 4321 443',
  'PROXY TCP4 192.0.2.10 192.0.2.1 a b',
  'PROXY TCP4 192.0.2.10 192.0.2.1 65536 443',
  'PROXY TCP4 192.0.2.10 192.0.2.1 4321 443 x',
];

/** Checks of a target that trusts PROXY headers, as --proxy-protocol says. */
const trusted: readonly TopicCheck[] = [
  accepts('proxy-protocol/v1', 'Whether PROXY headers of version 1 are accepted.', () =>
    proxyHeader('v1', SOURCE),
  ),
  accepts('proxy-protocol/v2', 'Whether PROXY headers of version 2 are accepted.', () =>
    proxyHeader('v2', SOURCE),
  ),
  forwards('proxy-protocol/address', 'IPv4', SOURCE),
  forwards('proxy-protocol/address-ipv6', 'IPv6', SOURCE_IPV6),
  mustAccept({
    id: 'proxy-protocol/unknown',
    section: 'proxy-protocol.txt 2.1',
    rule: 'PROXY UNKNOWN is accepted, and the address of the connection is used.',
    version: 'v1',
    header: () => Buffer.from('PROXY UNKNOWN\r\n'),
  }),
  mustAccept({
    id: 'proxy-protocol/local',
    section: 'proxy-protocol.txt 2.2',
    rule: 'The command LOCAL is accepted, and the address of the connection is used.',
    version: 'v2',
    header: localHeader,
  }),
  mustAccept({
    id: 'proxy-protocol/tlvs',
    section: 'proxy-protocol.txt 2.2.7',
    rule: 'TLVs of unknown types are ignored.',
    version: 'v2',
    header: () =>
      version2(SOURCE, [
        // TLVs: PP2_TYPE_NOOP, the first type for custom use, and a reserved one.
        [0x04, Buffer.alloc(8)],
        [0xe0, Buffer.from('check')],
        [0x60, Buffer.alloc(0)],
      ]),
    hasAddress: true,
  }),
  {
    id: 'proxy-protocol/checksum',
    section: 'proxy-protocol.txt 2.2.3',
    rule: 'Whether a PROXY header with a wrong checksum is refused.',
    level: 'info',
    async run(session) {
      const right = await requestAfter(session, checksummedHeader(SOURCE));
      if (!right.received) return notApplicable('no version 2');
      const { received, evidence } = await requestAfter(session, checksummedHeader(SOURCE, 1));
      return received ? differs('not verified', ...evidence) : pass('verified');
    },
  },
  {
    id: 'proxy-protocol/malformed',
    section: 'proxy-protocol.txt 2.1',
    rule: 'A connection with a malformed PROXY header is closed.',
    risk: 'security',
    observes: 'target',
    async run(session) {
      for (const line of MALFORMED) {
        const { received, evidence } = await requestAfter(session, Buffer.from(`${line}\r\n`));
        if (received) return fail('the connection closed', `a response after ${line}`, ...evidence);
      }
      return pass();
    },
  },
  {
    id: 'proxy-protocol/malformed-address',
    section: 'proxy-protocol.txt 2.1',
    rule: 'A connection whose PROXY header has an invalid IPv4 address is closed.',
    level: 'quality',
    risk: 'security',
    observes: 'target',
    async run(session) {
      for (const address of ['300.0.2.10', '192.0.2']) {
        const header = Buffer.from(`PROXY TCP4 ${address} 192.0.2.1 4321 443\r\n`);
        const { received, evidence } = await requestAfter(session, header);
        if (!received) continue;
        return differs(`a response to ${address}; ${forwardedAddress(received)}`, ...evidence);
      }
      return pass();
    },
  },
  {
    id: 'proxy-protocol/missing',
    section: 'proxy-protocol.txt 2',
    rule: 'A connection without a PROXY header is closed.',
    risk: 'security',
    needs: ['proxy-protocol', 'gateway'],
    observes: 'target',
    async run(session) {
      for (const request of [{}, { method: 'POST', content: 'content' }]) {
        const { received, evidence } = await requestAfter(session, NO_HEADER, request);
        if (received) return fail('the connection closed', 'a response', ...evidence);
      }
      if (session.target.isSecure) return pass();
      const client = await session.openHttp1(NO_HEADER);
      const [transfer, settings] = await sendOpening(session, client);
      return settings === undefined
        ? pass()
        : fail('the connection closed', 'SETTINGS of HTTP/2', transfer);
    },
  },
];

/** A check that an untrusted PROXY header does not set the client address. */
function spoofed(version: ProxyVersion): TopicCheck {
  return {
    id: `proxy-protocol/spoofed-${version}`,
    rule: `An untrusted client cannot set its address with a PROXY header of version ${version.slice(1)}.`,
    risk: 'security',
    needs: ['gateway'],
    observes: 'target',
    async run(session) {
      if (session.target.proxyProtocol)
        return notApplicable('with --proxy-protocol the target trusts its clients');
      let verdict = pass();
      for (const source of [SOURCE, SOURCE_IPV6]) {
        const header = proxyHeader(version, source);
        const { received, words, evidence } = await requestAfter(session, header);
        if (!received) {
          if (verdict.outcome === 'pass') verdict = pass(words);
          continue;
        }
        const places = placesOf(received, source.source);
        if (places.length === 0) {
          verdict = differs('accepted, but the address is not used', ...evidence);
          continue;
        }
        const found = `${source.source} in ${places.join(', ')}`;
        return fail('the connection closed', found, ...evidence);
      }
      return verdict;
    },
  };
}

/** The PROXY protocol (HAProxy's proxy-protocol.txt) towards the target. */
export const proxyProtocolChecks = topic(PROXY, [...trusted, spoofed('v1'), spoofed('v2')]);
