import { topic } from '../check.ts';
import { differs, fail, pass } from '../verdict.ts';
import { proxyHeader } from '../../wire/proxy-protocol/write.ts';
import { outcomeOf } from '../message.ts';
import type { Session } from '../session.ts';
import { PROXY, SOURCE, type Attempt } from './proxy-protocol.ts';

/** The address without brackets, and in IPv4 form if it is an IPv4-mapped IPv6 address. */
function plainAddress(address: string): string {
  return address.replace(/^::ffff:/, '').replace(/^\[(.*)\]$/, '$1');
}

/** Splits address and port. */
function splitAddress(text: string): { readonly address: string; readonly port: number } {
  const at = text.lastIndexOf(':');
  return { address: plainAddress(text.slice(0, at)), port: Number(text.slice(at + 1)) };
}

/** Members of a shown PROXY header that are not TLVs. */
const NO_TLVS = new Set<string>([
  'version',
  'command',
  'family',
  'transport',
  'source',
  'destination',
  'peer',
]);

const ORIGIN = { ...PROXY, needs: ['proxy-origin'] } as const;

interface OwnRequest {
  readonly attempt: Attempt;
  /** The address that the origin should receive: the client's own, or that of its PROXY header. */
  readonly address: string;
  readonly port: number;
}

/** Sends a request on a connection that stays open. @param port source port for the PROXY header, if one is sent */
async function requestFrom(session: Session, port: number): Promise<OwnRequest> {
  const { proxyProtocol } = session.target;
  const source = { ...SOURCE, sourcePort: port };
  const client = await session.openHttp1(proxyProtocol && proxyHeader(proxyProtocol, source));
  const { received, transfer } = await session.echoOn(client);
  const { localAddress = '', localPort = 0 } = client.opened.tcp;
  return {
    attempt: { received, words: outcomeOf(transfer), evidence: [transfer] },
    address: proxyProtocol ? SOURCE.source : plainAddress(localAddress),
    port: proxyProtocol ? port : localPort,
  };
}

function receivedSource({ received }: Attempt): string | undefined {
  return received?.proxyProtocol?.source ?? undefined;
}

/** PROXY headers that the origin receives (HAProxy's proxy-protocol.txt). */
export const proxyOriginChecks = topic(ORIGIN, [
  {
    id: 'proxy-protocol/origin',
    rule: 'Which PROXY header the origin receives.',
    level: 'info',
    async run(session) {
      const echo = await session.echo();
      const header = echo.received?.proxyProtocol;
      if (!header) return differs('no PROXY header', echo.transfer);
      const { version, command, family, transport } = header;
      const tlvs = Object.keys(header).filter((name) => !NO_TLVS.has(name));
      const words = [`version ${version}`, command, family, transport, ...tlvs];
      return pass(words.join(', '));
    },
  },
  {
    id: 'proxy-protocol/origin-address',
    rule: 'The PROXY header sent to the origin has the address and port of the client.',
    level: 'quality',
    async run(session) {
      const { attempt, address, port } = await requestFrom(session, SOURCE.sourcePort);
      if (!attempt.received) return fail('the request reaches the origin', attempt.words);
      const source = receivedSource(attempt);
      if (source === undefined) return differs('no address', ...attempt.evidence);
      const end = splitAddress(source);
      return end.address === address && end.port === port
        ? pass(source)
        : differs(`${source}, for ${address}:${port}`, ...attempt.evidence);
    },
  },
  {
    id: 'proxy-protocol/origin-each',
    rule: 'Requests of different clients do not share a connection whose PROXY header names one of them.',
    level: 'quality',
    risk: 'security',
    async run(session) {
      const first = await requestFrom(session, SOURCE.sourcePort);
      const second = await requestFrom(session, SOURCE.sourcePort + 1);
      const sources = [first, second].map(({ attempt }) => receivedSource(attempt));
      const evidence = [...first.attempt.evidence, ...second.attempt.evidence];
      if (sources.includes(undefined)) return differs('no address', ...evidence);
      return sources[0] === sources[1]
        ? fail('the address and port of each', `${sources[0]} for both`, ...evidence)
        : pass(sources.join(', '));
    },
  },
]);
