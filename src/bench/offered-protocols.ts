import type { FrontName } from '../check/front.ts';
import { versionOf } from '../check/origin.ts';
import { connectFailure, handshakeText, noEcho, NotTestable, notWirebin } from '../check/probe.ts';
import type { Target } from '../check/target.ts';
import type { Protocol } from './protocol.ts';
import type { ScenarioRequest } from './scenarios.ts';

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

/** Sends a request on a connection of its own. @param time limit in milliseconds */
export async function send(
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
