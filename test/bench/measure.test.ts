import { constants } from 'node:crypto';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { inTurn, Side } from '../../src/bench/measure.ts';
import { ask } from '../../src/bench/ask.ts';
import type { Protocol } from '../../src/bench/protocol.ts';
import { scenarios, type Scenario, type ScenarioRequest } from '../../src/bench/scenarios.ts';
import { Target } from '../../src/check/target.ts';
import { createService, type Service } from '../../src/index.ts';
import { guard } from '../../src/server/schema.ts';
import { connectionsSchema, type Connections } from '../../src/telemetry/connections-schema.ts';
import { issue } from '../_certificates.ts';

const isConnections = guard(connectionsSchema);

let service: Service;
beforeAll(async () => {
  service = await createService({ tap: true, h2EnableConnectProtocol: true });
});
afterAll(() => service.close());

test('sides take turns in going first, also when rounds are added', async () => {
  const order: string[] = [];
  const measure = async (side: string): Promise<void> => void order.push(side);
  await inTurn(['a', 'b'], 1, measure);
  await inTurn(['a', 'b'], 2, measure, 1);
  expect(order.join('')).toBe('abbaab');
});

const part: Scenario = {
  id: 'part',
  method: 'GET',
  path: '/range/100',
  fields: [['range', 'bytes=1-3']],
  status: 206,
  opensConnections: false,
  isContent: (content) => content.toString() === 'bcd',
  isFixedLength: true,
};

const counts = { rounds: 1, connections: 2, h2Connections: 2, streams: 2 };
const settings = { ...counts, seconds: 0.1, rate: undefined, timeout: 30_000 };

/** Loads a scenario, as after its first response. @returns that response, and why requests failed */
async function loaded(protocol: Protocol, scenario: Scenario, url = service.httpOrigin) {
  const target = new Target({ url: new URL(url), insecure: true });
  const answer = await ask(target, protocol, scenario, 30_000);
  const length = scenario.isFixedLength ? answer.length : undefined;
  const digests = scenario.isHashed === true ? answer.digests : undefined;
  const at = { target, protocol, origin: undefined };
  const side = new Side(at, scenario, settings, length, digests);
  await side.measureFullLoad(new AbortController().signal);
  expect(side.tally.requests).toBeGreaterThan(1);
  const { requests, errors } = side.tally;
  const failed = Object.values(errors).reduce((sum, number) => sum + number, 0);
  return { answer, failures: Object.keys(errors), succeeded: requests - failed };
}

const named = (name: string): Scenario => {
  const found = scenarios.find(({ id }) => id === name);
  if (!found) throw new Error(`there is no scenario ${name}`);
  return found;
};

const other: ScenarioRequest = {
  method: 'POST',
  path: '/status/404',
  status: 404,
  weight: 2,
  isContent: () => true,
};

describe.each(['http/1.1', 'h2c'] as const)('over %s', (protocol) => {
  test.each([
    ['is right', part, undefined],
    ['is another', { ...part, status: 200 }, 'status 206'],
  ])(
    'a request has fields of its own, and the status of its response %s',
    async (_, scenario, failure) => {
      const { answer, failures } = await loaded(protocol, scenario);
      expect(answer).toMatchObject({ length: 3, failure });
      expect(failures).toEqual(failure === undefined ? [] : [failure]);
    },
  );

  test.each<[string, Scenario, string[]]>([
    ['anything', named('anything'), []],
    ['download-1m, with its digest', { ...named('download-1m'), isHashed: true }, []],
    ['upload-1m', named('upload-1m'), []],
    ['sse', named('sse'), []],
    ['messages on WebSockets', named('websocket'), []],
    ['chunks with another digest', { ...named('sse'), isHashed: true }, ['wrong content']],
    [
      'HEAD',
      { ...part, method: 'HEAD', status: 200, isContent: (content) => content.length === 0 },
      [],
    ],
    ['several requests', { ...part, isFixedLength: false, isHashed: true, others: [other] }, []],
  ])('%s', async (_, scenario, expected) => {
    const { answer, failures } = await loaded(protocol, scenario);
    expect(answer.failure).toBeUndefined();
    expect(failures).toEqual(expected);
  });

  test.runIf(protocol === 'h2c')('calls of gRPC', async () => {
    const { answer, failures } = await loaded(protocol, named('grpc'));
    expect([answer.failure, failures]).toEqual([undefined, []]);
    const failing = { ...named('grpc'), path: '/grpc.testing.TestService/UnimplementedCall' };
    expect((await loaded(protocol, failing)).answer.failure).toBeDefined();
  });

  test('a path without a WebSocket', async () => {
    const scenario = { ...named('websocket'), path: '/get' };
    const { answer, failures } = await loaded(protocol, scenario);
    expect(answer.failure).toMatch(/^status \d/);
    expect(failures).toEqual([answer.failure]);
  });

  test('of several requests, each is checked first', async () => {
    const scenario = { ...part, isFixedLength: false, others: [{ ...other, status: 200 }] };
    const { answer, failures } = await loaded(protocol, scenario);
    expect(answer.failure).toBe('status 404 to POST /status/404');
    expect(failures).toEqual(['status 404']);
  });
});

/** Handshakes of the service so far, and how many of them resumed a session. */
async function handshakes(): Promise<Connections['handshakes']> {
  const response = await fetch(`${service.httpOrigin}/connections`);
  const view: unknown = await response.json();
  if (!isConnections(view)) throw new Error('/connections is not as declared');
  return view.handshakes;
}

test.each(['http/1.1', 'h2'] as const)('over TLS by %s, sessions are resumed', async (protocol) => {
  const before = await handshakes();
  const { failures } = await loaded(protocol, named('connections-resumed'), service.httpsOrigin);
  expect(failures).toEqual([]);
  const { done, resumed } = await handshakes();
  // That of the first response, and the one that gets the session.
  expect(done - before.done - (resumed - before.resumed)).toBe(2);
  expect(resumed).toBeGreaterThan(before.resumed);
});

test('no connection of a server that does not resume sessions counts', async () => {
  const { cert, key } = await issue('localhost', { host: 'localhost' });
  const server = createServer(
    { cert, key, maxVersion: 'TLSv1.2', secureOptions: constants.SSL_OP_NO_TICKET },
    (_, response) => void response.end('OK'),
  );
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const url = `https://127.0.0.1:${port}`;
  const { failures, succeeded } = await loaded('http/1.1', named('connections-resumed'), url);
  expect(failures).toEqual(['TLS session not resumed']);
  expect(succeeded).toBe(0);
});
