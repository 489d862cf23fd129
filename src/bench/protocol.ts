import { createHash } from 'node:crypto';
import type { FrontName } from '../check/front.ts';
import { outcomeOf, valueOf, type Transfer } from '../check/message.ts';
import { versionOf } from '../check/origin.ts';
import { connectFailure, handshakeText, noEcho, NotTestable, notWirebin } from '../check/probe.ts';
import type { Target } from '../check/target.ts';
import type { Scenario, ScenarioRequest } from './scenarios.ts';

/** Protocols of a load. `h2c` is HTTP/2 without TLS. */
export const PROTOCOLS = ['http/1.1', 'h2', 'h2c'] as const;
export type Protocol = (typeof PROTOCOLS)[number];

const FRONTS: Readonly<Record<Protocol, FrontName>> = {
  'http/1.1': 'http/1.1',
  h2: 'h2',
  h2c: 'h2',
};

/**
 * The protocols on which a wirebin responds at a URL: those that ALPN selects; without TLS HTTP/1.1, and HTTP/2 with
 * prior knowledge.
 *
 * @param what describes the URL in messages
 * @param time limit of each request, in milliseconds
 * @throws NotTestable if there is none
 */
export async function offeredProtocols(
  target: Target,
  what: string,
  time: number,
): Promise<readonly Protocol[]> {
  const offered: Protocol[] = [];
  let problem: string | undefined;
  for (const protocol of target.isSecure
    ? (['h2', 'http/1.1'] as const)
    : (['http/1.1', 'h2c'] as const)) {
    try {
      const transfer = await send(target, protocol, { method: 'GET', path: '/version' }, time);
      if (versionOf(transfer.response)) offered.push(protocol);
      else problem ??= noEcho(transfer);
    } catch (error) {
      const failure = connectFailure(error);
      if (failure !== undefined) throw new NotTestable(`cannot connect to ${what}: ${failure}`);
      problem ??= handshakeText(error);
    }
  }
  if (offered.length > 0) return offered;
  throw new NotTestable(notWirebin(target, problem, `and point ${what} at it`));
}

/** The protocol for the direct side: of those that the origin offers, the most similar to the target's. */
export function closestProtocol(protocol: Protocol, offered: readonly Protocol[]): Protocol {
  const isHttp2 = protocol !== 'http/1.1';
  const preferred = [protocol, ...(isHttp2 ? (['h2', 'h2c'] as const) : []), 'http/1.1'] as const;
  return preferred.find((each) => offered.includes(each)) ?? protocol;
}

/** The response to a request of a scenario. */
export interface Answer {
  /** Bytes of the content. */
  readonly length: number;
  /** Why the response is wrong; undefined if it is right. */
  readonly failure: string | undefined;
  /** Whether the response came from a cache (RFC 9111 5.1). */
  readonly isStored: boolean;
  /** SHA-256 of the content of the response to each request of the scenario, in hexadecimal. */
  readonly digests?: readonly string[];
}

/** Sends each request of a scenario, and checks the whole responses. @returns the first, or one that is wrong */
export async function ask(
  target: Target,
  protocol: Protocol,
  scenario: Scenario,
  time: number,
): Promise<Answer> {
  const first = await askOne(target, protocol, scenario, time);
  const digests = [...(first.digests ?? [])];
  for (const other of scenario.others ?? []) {
    const answer = await askOne(target, protocol, other, time);
    if (answer.failure !== undefined) {
      return { ...answer, failure: `${answer.failure} to ${other.method} ${other.path}` };
    }
    digests.push(...(answer.digests ?? []));
  }
  return { ...first, digests };
}

async function askOne(
  target: Target,
  protocol: Protocol,
  scenario: ScenarioRequest,
  time: number,
): Promise<Answer> {
  try {
    const transfer = await send(target, protocol, scenario, time);
    const { response } = transfer;
    const content = response?.content ?? Buffer.alloc(0);
    return {
      length: content.length,
      failure:
        failureIn(transfer, scenario) ??
        (scenario.isContent(content) ? undefined : 'wrong content'),
      isStored: valueOf(response?.fields ?? [], 'age') !== undefined,
      digests: [createHash('sha256').update(content).digest('hex')],
    };
  } catch (error) {
    return { length: 0, failure: handshakeText(error), isStored: false };
  }
}

function failureIn(transfer: Transfer, { status = 200 }: ScenarioRequest): string | undefined {
  const { response, ending } = transfer;
  if (!response || ending !== 'complete') return outcomeOf(transfer);
  return response.status === status ? undefined : `status ${response.status}`;
}

async function send(
  target: Target,
  protocol: Protocol,
  {
    path,
    isStreamed = false,
    ...message
  }: Pick<ScenarioRequest, 'method' | 'path' | 'fields' | 'content' | 'isStreamed'>,
  time: number,
) {
  const client = await target.open(FRONTS[protocol], time);
  try {
    return await client.send(
      { ...message, target: path, framing: isStreamed ? 'chunked' : 'length' },
      { time },
    );
  } finally {
    client.close();
  }
}
