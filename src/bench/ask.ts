import { createHash } from 'node:crypto';
import { outcomeOf, valueOf, type Transfer } from '../check/message.ts';
import { handshakeText } from '../check/probe.ts';
import type { Target } from '../check/target.ts';
import { SettingId } from '../wire/http2/frame.ts';
import { Connector } from './load/connector.ts';
import { TIMEOUT } from './load/load-connection.ts';
import { send } from './offered-protocols.ts';
import type { Protocol } from './protocol.ts';
import type { Scenario, ScenarioRequest } from './scenarios.ts';

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
    if (scenario.isWebSocket === true) return await exchange(target, protocol, scenario, time);
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

/** Sends a message on a WebSocket, and checks its echo. @throws the error of the connection or handshake */
async function exchange(
  target: Target,
  protocol: Protocol,
  { method, path, fields, content, isWebSocket }: ScenarioRequest,
  time: number,
): Promise<Answer> {
  const scheme = target.isSecure ? 'https' : 'http';
  const common = { authority: target.authority, scheme, closes: false, length: undefined } as const;
  const request = { ...common, method, path, fields, content, isWebSocket };
  const connector = new Connector(target, protocol, [request], time, false);
  let timer: NodeJS.Timeout | undefined;
  try {
    const connection = await connector.open();
    const failure = await new Promise<string | undefined>((resolve) => {
      timer = setTimeout(resolve, time, TIMEOUT);
      connection.send(connector.next(), resolve);
    });
    return { length: content?.length ?? 0, failure, isStored: false };
  } finally {
    clearTimeout(timer);
    connector.destroyAll();
  }
}

/**
 * Whether a target has what a scenario needs: TLS for sessions, HTTP/2 for gRPC, and there extended CONNECT for
 * WebSockets (RFC 8441).
 *
 * @throws the error of the connection or handshake
 */
export async function isOffered(
  { isResumed = false, isWebSocket = false, needsHttp2 = false }: Scenario,
  target: Target,
  protocol: Protocol,
  time: number,
): Promise<boolean> {
  if (isResumed) return target.isSecure;
  if (needsHttp2) return protocol !== 'http/1.1';
  if (!isWebSocket || protocol === 'http/1.1') return true;
  const client = await target.openHttp2(time);
  client.close();
  return client.settings?.get(SettingId.enableConnectProtocol) === 1;
}

function failureIn(transfer: Transfer, { status = 200 }: ScenarioRequest): string | undefined {
  const { response, ending } = transfer;
  if (!response || ending !== 'complete') return outcomeOf(transfer);
  return response.status === status ? undefined : `status ${response.status}`;
}
