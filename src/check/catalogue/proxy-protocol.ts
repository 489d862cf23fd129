import { differs, fail, notApplicable, pass, type Check } from '../check.ts';
import { failureText, isConnectError, isTimeout } from '../client/connect.ts';
import {
  checksummedHeader,
  localHeader,
  proxyHeader,
  version2,
  type ProxyVersion,
} from '../client/proxy-header.ts';
import { outcomeOf, valuesOf, type Transfer } from '../message.ts';
import { receivedOf, tagged, type Received } from '../origin.ts';
import type { Session } from '../session.ts';

const PROXY = {
  section: 'proxy-protocol.txt 2',
  level: 'must',
  risk: 'interop',
  needs: ['proxy-protocol'],
  // The header comes before the protocol, and is the same for all.
  fronts: ['http/1.1'],
} as const;

/** Addresses for documentation (RFC 5737, RFC 3849), which can come from the header only. */
const SOURCE = { source: '192.0.2.10', sourcePort: 4321 };
const SOURCE_IPV6 = { source: '2001:db8:0:0:0:0:0:10', sourcePort: 4321 };

/** A request on a connection that begins with bytes. */
interface Attempt {
  readonly received: Received | undefined;
  /** What came in place of the echo. */
  readonly words: string;
  readonly evidence: readonly Transfer[];
}

async function requestAfter(session: Session, header: Buffer): Promise<Attempt> {
  const tag = session.newTag();
  try {
    const client = await session.openHttp1(header);
    const message = tagged(tag, { target: `/anything/${tag}` });
    const sent = await client.send(message, { time: session.time });
    const transfer = session.record({ ...sent, sent: header.toString('latin1') + sent.sent });
    return {
      received: receivedOf(transfer, tag),
      words: outcomeOf(transfer),
      evidence: [transfer],
    };
  } catch (error) {
    if (isConnectError(error)) throw error;
    // TLS may fail where it would have come after the header.
    if (!isTimeout(error)) session.observe('target');
    return { received: undefined, words: failureText(error), evidence: [] };
  }
}

/** Where the origin receives an address: in fields, or in a PROXY header of its own connection. */
function placesOf({ fields, proxyProtocol }: Received, address: string): string[] {
  const short = address.replace(/:(?:0:)+/, '::');
  const has = (value: unknown): boolean =>
    typeof value === 'string' && (value.includes(address) || value.includes(short));
  const places = fields.filter(([, value]) => has(value)).map(([name]) => name);
  return has(proxyProtocol?.['source']) ? [...places, 'PROXY header'] : places;
}

/** The first field with an address of the client, as text. */
function forwardedAddress({ fields }: Received): string {
  const [field] = ['forwarded', 'x-forwarded-for', 'x-real-ip'].flatMap((name) =>
    valuesOf(fields, name).map((value) => `${name}: ${value}`),
  );
  return field ?? 'no field contains an address';
}

/** A fact: whether a header is accepted. */
function accepts(id: Check['id'], rule: string, header: () => Buffer): Check {
  return {
    ...PROXY,
    id,
    rule,
    level: 'info',
    observes: 'arrival',
    async run(session) {
      const { received, words, evidence } = await requestAfter(session, header());
      return received ? pass() : differs(words, ...evidence);
    },
  };
}

/** A check that the origin receives the address of a PROXY header. */
function forwards(id: Check['id'], family: string, source: typeof SOURCE): Check {
  return {
    ...PROXY,
    id,
    section: 'RFC 7239 5.2',
    rule: `The origin receives the ${family} address of the PROXY header.`,
    level: 'quality',
    observes: 'arrival',
    async run(session) {
      const { proxyProtocol = 'v1' } = session.target;
      const { received, words, evidence } = await requestAfter(
        session,
        proxyHeader(proxyProtocol, source),
      );
      if (!received) return differs(words, ...evidence);
      const places = placesOf(received, source.source);
      return places.length > 0
        ? pass(places.join(', '))
        : differs(forwardedAddress(received), ...evidence);
    },
  };
}

/** A check of a header that a receiver of the version has to accept. */
function mustAccept(
  rule: Pick<Check, 'id' | 'section' | 'rule'>,
  version: ProxyVersion,
  header: () => Buffer,
): Check {
  return {
    ...PROXY,
    ...rule,
    after: [`proxy-protocol/${version}`],
    observes: 'arrival',
    async run(session) {
      const ordinary = await requestAfter(session, proxyHeader(version, SOURCE));
      if (!ordinary.received) return notApplicable(`no version ${version.slice(1)}`);
      const { received, words, evidence } = await requestAfter(session, header());
      return received ? pass() : fail('the request is served', words, ...evidence);
    },
  };
}

const MALFORMED = [
  'PROXY TCP4 192.0.2.10 192.0.2.1',
  'PROXY TCP5 192.0.2.10 192.0.2.1 4321 443',
  'PROXY TCP4 192.0.2.10 192.0.2.1 a b',
  'PROXY TCP4 192.0.2.10 192.0.2.1 65536 443',
  'PROXY TCP4 192.0.2.10 192.0.2.1 4321 443 x',
];

/** Headers of clients that --proxy-protocol says the target trusts. */
const trusted: readonly Check[] = [
  accepts('proxy-protocol/v1', 'Whether PROXY headers of version 1 are accepted.', () =>
    proxyHeader('v1', SOURCE),
  ),
  accepts('proxy-protocol/v2', 'Whether PROXY headers of version 2 are accepted.', () =>
    proxyHeader('v2', SOURCE),
  ),
  forwards('proxy-protocol/address', 'IPv4', SOURCE),
  forwards('proxy-protocol/address-ipv6', 'IPv6', SOURCE_IPV6),
  mustAccept(
    {
      id: 'proxy-protocol/unknown',
      section: 'proxy-protocol.txt 2.1',
      rule: 'PROXY UNKNOWN is accepted, and the address of the connection is used.',
    },
    'v1',
    () => Buffer.from('PROXY UNKNOWN\r\n'),
  ),
  mustAccept(
    {
      id: 'proxy-protocol/local',
      section: 'proxy-protocol.txt 2.2',
      rule: 'The command LOCAL is accepted, and the address of the connection is used.',
    },
    'v2',
    localHeader,
  ),
  mustAccept(
    {
      id: 'proxy-protocol/tlvs',
      section: 'proxy-protocol.txt 2.2.7',
      rule: 'TLVs of unknown types are ignored.',
    },
    'v2',
    () =>
      version2(SOURCE, [
        // PP2_TYPE_NOOP, the first type for custom use, and one that is reserved.
        [0x04, Buffer.alloc(8)],
        [0xe0, Buffer.from('check')],
        [0x60, Buffer.alloc(0)],
      ]),
  ),
  {
    ...PROXY,
    id: 'proxy-protocol/checksum',
    section: 'proxy-protocol.txt 2.2.3',
    rule: 'Whether a PROXY header with a wrong checksum is refused.',
    level: 'info',
    observes: 'arrival',
    async run(session) {
      const right = await requestAfter(session, checksummedHeader(SOURCE));
      if (!right.received) return notApplicable('no version 2');
      const { received, evidence } = await requestAfter(session, checksummedHeader(SOURCE, 1));
      return received ? differs('not verified', ...evidence) : pass('verified');
    },
  },
  {
    ...PROXY,
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
    ...PROXY,
    id: 'proxy-protocol/malformed-address',
    section: 'proxy-protocol.txt 2.1',
    rule: 'A connection whose PROXY header has an invalid IPv4 address is closed.',
    level: 'quality',
    risk: 'security',
    observes: 'target',
    async run(session) {
      const header = Buffer.from('PROXY TCP4 300.0.2.10 192.0.2.1 4321 443\r\n');
      const { received, words, evidence } = await requestAfter(session, header);
      return received
        ? differs(`a response; ${forwardedAddress(received)}`, ...evidence)
        : pass(words);
    },
  },
  {
    ...PROXY,
    id: 'proxy-protocol/missing',
    section: 'proxy-protocol.txt 2',
    rule: 'A connection without a PROXY header is closed.',
    risk: 'security',
    needs: ['proxy-protocol', 'gateway'],
    observes: 'target',
    async run(session) {
      const { received, words, evidence } = await requestAfter(session, Buffer.alloc(0));
      return received ? fail('the connection closed', 'a response', ...evidence) : pass(words);
    },
  },
];

/** A check of a header that the target must not believe. */
function spoofed(version: ProxyVersion): Check {
  return {
    ...PROXY,
    id: `proxy-protocol/spoofed-${version}`,
    rule: `An untrusted client cannot set its address with a PROXY header of version ${version.slice(1)}.`,
    risk: 'security',
    needs: ['gateway'],
    observes: 'target',
    async run(session) {
      if (session.target.proxyProtocol)
        return notApplicable('with --proxy-protocol the target trusts its clients');
      const header = proxyHeader(version, SOURCE);
      const { received, words, evidence } = await requestAfter(session, header);
      if (!received) return pass(words);
      const places = placesOf(received, SOURCE.source);
      return places.length > 0
        ? fail('the connection closed', `${SOURCE.source} in ${places.join(', ')}`, ...evidence)
        : differs('accepted, but the address is not used', ...evidence);
    },
  };
}

/** Without brackets and the form of IPv4 in IPv6. */
function plain(address: string): string {
  return address.replace(/^::ffff:/, '').replace(/^\[(.*)\]$/, '$1');
}

/** Splits address and port. */
function endOf(text: string): { readonly address: string; readonly port: number } {
  const at = text.lastIndexOf(':');
  return { address: plain(text.slice(0, at)), port: Number(text.slice(at + 1)) };
}

const ORIGIN = { ...PROXY, needs: ['proxy-origin'] } as const;

interface OwnRequest {
  readonly attempt: Attempt;
  /** The client's own address, or that of its PROXY header. */
  readonly address: string;
  readonly port: number;
}

/** A request on a connection that stays open. @param port what tells it from others where it is ours to say */
async function requestFrom(session: Session, port: number): Promise<OwnRequest> {
  const { proxyProtocol } = session.target;
  const source = { ...SOURCE, sourcePort: port };
  const client = await session.openHttp1(proxyProtocol && proxyHeader(proxyProtocol, source));
  const { received, transfer } = await session.echoOn(client);
  const { localAddress = '', localPort = 0 } = client.opened.tcp;
  return {
    attempt: { received, words: outcomeOf(transfer), evidence: [transfer] },
    address: proxyProtocol ? SOURCE.source : plain(localAddress),
    port: proxyProtocol ? port : localPort,
  };
}

function sourceOf({ received }: Attempt): string | undefined {
  const source = received?.proxyProtocol?.['source'];
  return typeof source === 'string' ? source : undefined;
}

/** PROXY headers that the origin receives. */
const origins: readonly Check[] = [
  {
    ...ORIGIN,
    id: 'proxy-protocol/origin',
    rule: 'Which PROXY header the origin receives.',
    level: 'info',
    observes: 'arrival',
    async run(session) {
      const echo = await session.echo();
      const header = echo.received?.proxyProtocol;
      if (!header) return differs('no PROXY header', echo.transfer);
      const {
        version,
        command,
        family,
        transport,
        source: _s,
        destination: _d,
        peer: _p,
        ...tlvs
      } = header;
      const words = [
        `version ${String(version)}`,
        command,
        family,
        transport,
        ...Object.keys(tlvs),
      ];
      return pass(words.join(', '));
    },
  },
  {
    ...ORIGIN,
    id: 'proxy-protocol/origin-address',
    rule: 'The PROXY header sent to the origin has the address and port of the client.',
    level: 'quality',
    observes: 'arrival',
    async run(session) {
      const { attempt, address, port } = await requestFrom(session, SOURCE.sourcePort);
      if (!attempt.received) return fail('the request reaches the origin', attempt.words);
      const source = sourceOf(attempt);
      if (source === undefined) return differs('no address', ...attempt.evidence);
      const end = endOf(source);
      return end.address === address && end.port === port
        ? pass(source)
        : differs(`${source}, for ${address}:${port}`, ...attempt.evidence);
    },
  },
  {
    ...ORIGIN,
    id: 'proxy-protocol/origin-each',
    rule: 'Requests of different clients do not share a connection whose PROXY header names one of them.',
    level: 'quality',
    risk: 'security',
    observes: 'arrival',
    async run(session) {
      const first = await requestFrom(session, SOURCE.sourcePort);
      const second = await requestFrom(session, SOURCE.sourcePort + 1);
      const sources = [first, second].map(({ attempt }) => sourceOf(attempt));
      const evidence = [...first.attempt.evidence, ...second.attempt.evidence];
      if (sources.includes(undefined)) return differs('no address', ...evidence);
      return sources[0] === sources[1]
        ? fail('the address and port of each', `${sources[0]} for both`, ...evidence)
        : pass(sources.join(', '));
    },
  },
];

/** The PROXY protocol (HAProxy's proxy-protocol.txt) towards the target, and towards the origin. */
export const proxyProtocolChecks: readonly Check[] = [
  ...trusted,
  spoofed('v1'),
  spoofed('v2'),
  ...origins,
];
