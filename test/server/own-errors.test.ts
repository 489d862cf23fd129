import { differs } from '../_engine.ts';
import { once } from 'node:events';
import http from 'node:http';
import https from 'node:https';
import { constants, type ClientHttp2Session } from 'node:http2';
import pino from 'pino';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { connectHttp2 } from '../../src/net/http2-sessions.ts';
import { turns } from '../../src/net/scheduler.ts';
import { endpoint, type Endpoint } from '../../src/server/endpoint.ts';
import type { ExchangeObserver } from '../../src/server/observer.ts';
import { empty, text } from '../../src/server/reply.ts';
import type { UpgradeChannel } from '../../src/server/upgrade.ts';
import { EventLog } from '../../src/telemetry/event-log.ts';
import { startAdapters, until, type Adapters } from '../_adapters.ts';
import { isHttp2, isSecure, transports, type Transport } from '../_client.ts';
import { converse, exchange, openSocket, statusesOf } from '../_raw.ts';
import { frame, HANDSHAKE } from '../_websocket.ts';
import { everyNth } from '../_whole.ts';
import { FAILING, OF_THE_PROTOCOL, respondOnce, SECOND, UPGRADES, type Seen } from './_failing.ts';

/** Set by a test. */
let thrown: TypeError | undefined;
const fail = (): never => {
  throw thrown ?? new Error('no error is set');
};

/** Responses of /twice/* that have begun, and what lets /slow respond. */
let responded = 0;
let release = (): void => undefined;

const rest = { group: 'content', summary: '', responses: {}, params: {} } as const;
const endpoints: readonly Endpoint[] = [
  ...Object.values(FAILING).map(({ handle, method }, at) =>
    endpoint({
      ...rest,
      id: `case-${at}`,
      path: `/case/${at}`,
      methods: [method ?? 'GET'],
      ...(method && { content: 'streamed' }),
      handle: ({ request }) => handle(fail, request),
    }),
  ),
  endpoint({
    ...rest,
    id: 'observed',
    path: '/observed',
    methods: ['POST'],
    content: true,
    handle: ({ request }) => {
      request.observer = { responded: fail, finished: fail };
      return text('observed');
    },
  }),
  ...Object.entries(SECOND).map(([name, more]) =>
    endpoint({
      ...rest,
      id: `twice-${name}`,
      path: `/twice/${name}`,
      methods: ['GET'],
      handle({ request }) {
        respondOnce(request);
        responded++;
        return text('second', more);
      },
    }),
  ),
  endpoint({
    ...rest,
    id: 'slow',
    path: '/slow',
    methods: ['GET'],
    handle: () =>
      new Promise((resolve) => {
        release = () => resolve(text('slow'));
      }),
  }),
  ...Object.entries(UPGRADES).map(([name, begin]) =>
    endpoint({
      ...rest,
      id: name,
      path: `/upgrade/${name}`,
      methods: ['GET'],
      upgrade: 'websocket',
      handle: ({ request }) => ({
        ...empty(
          request.method === 'CONNECT' ? 200 : 101,
          request.method === 'CONNECT' ? [] : ['Connection', 'Upgrade', 'Upgrade', 'websocket'],
        ),
        upgrade: {
          begin(channel: UpgradeChannel) {
            begin(channel, fail);
            return { drain: () => undefined };
          },
        },
      }),
    }),
  ),
];

function spin(): void {
  for (const start = performance.now(); performance.now() - start < 1.1;);
}

/** Keeps the turn budget used up. */
class Hog {
  #next: NodeJS.Immediate | undefined;

  start(): void {
    const again = (): void => {
      turns.run(spin);
      this.#next = setImmediate(again);
    };
    again();
  }

  stop(): void {
    clearImmediate(this.#next);
  }
}

interface Client {
  /** @returns the status, or how the response was broken off */
  ask(path: string, method: string): Promise<string>;
  close(): void;
}

function open(transport: Transport, port: number): Client {
  return isHttp2(transport) ? openHttp2(transport, port) : openHttp1(transport, port);
}

function openHttp1(transport: Transport, port: number): Client {
  const { Agent, request } = isSecure(transport) ? https : http;
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  return {
    ask: (path, method) =>
      new Promise((resolve) => {
        const onError = ({ code }: NodeJS.ErrnoException): void => resolve(`closed: ${code}`);
        const options = { host: '127.0.0.1', port, path, method, agent, rejectUnauthorized: false };
        request(options, (incoming) => {
          incoming
            .on('error', onError)
            .on('end', () => resolve(String(incoming.statusCode)))
            .resume();
        })
          .on('error', onError)
          .end(method === 'POST' ? 'content' : undefined);
      }),
    close: () => agent.destroy(),
  };
}

function openHttp2(transport: Transport, port: number): Client {
  const origin = `${isSecure(transport) ? 'https' : 'http'}://127.0.0.1:${port}`;
  let session: ClientHttp2Session | undefined;
  return {
    ask: (path, method) =>
      new Promise((resolve) => {
        session ??= connectHttp2(origin, { rejectUnauthorized: false });
        const stream = session.request({ ':path': path, ':method': method });
        let status = 0;
        stream
          .on('response', ({ ':status': received = 0 }) => {
            status = received;
          })
          .on('error', () => undefined)
          .on('close', () => resolve(stream.rstCode ? `reset: ${stream.rstCode}` : String(status)))
          .resume()
          .end(method === 'POST' ? 'content' : undefined);
      }),
    close: () => session?.destroy(),
  };
}

/** Opens a WebSocket, and sends a frame once it is open. @returns how it was ended */
async function upgrade(transport: Transport, port: number, path: string): Promise<string> {
  if (!isHttp2(transport)) {
    const socket = await openSocket(port, isSecure(transport) ? ['http/1.1'] : undefined);
    socket.once('data', () => socket.write(frame(1, 'x')));
    socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\n${HANDSHAKE}\r\n`);
    await new Promise((resolve) => {
      socket.once('end', resolve).once('close', resolve);
    });
    socket.destroy();
    return 'closed';
  }
  const origin = `${isSecure(transport) ? 'https' : 'http'}://127.0.0.1:${port}`;
  const session = connectHttp2(origin, { rejectUnauthorized: false });
  await once(session, 'remoteSettings');
  const stream = session.request({
    ':method': 'CONNECT',
    ':protocol': 'websocket',
    ':path': path,
  });
  stream.once('response', () => stream.write(frame(1, 'x')));
  stream.on('error', () => undefined).resume();
  await new Promise((resolve) => {
    stream.once('close', resolve);
  });
  session.destroy();
  return `reset: ${stream.rstCode}`;
}

describe.each(transports)('over %s', (transport) => {
  const lines: { level: number; err: { stack: string } }[] = [];
  const log = pino({ base: null }, { write: (line: string) => lines.push(JSON.parse(line)) });
  let failing: keyof ExchangeObserver | undefined;
  const failAs = (name: keyof ExchangeObserver) => (): void => {
    if (failing === name) fail();
  };
  const terminated: string[] = [];
  const closings: string[] = [];
  const observer: ExchangeObserver = {
    terminated: (reason) => terminated.push(reason),
    closing: (_, how, reason) => closings.push(`${how} ${reason}`),
    opened: failAs('opened'),
    detected: failAs('detected'),
    began: failAs('began'),
    responded: failAs('responded'),
    finished: failAs('finished'),
    closed: failAs('closed'),
  };
  const hog = new Hog();
  let adapters: Adapters;
  let client: Client;

  beforeAll(async () => {
    const limits = { enableConnectProtocol: true, maxResets: 1000 };
    adapters = await startAdapters(limits, endpoints, [observer, new EventLog(log)]);
    client = open(transport, adapters.port);
  });
  afterEach(() => {
    hog.stop();
    failing = undefined;
    lines.length = 0;
    terminated.length = 0;
    closings.length = 0;
  });
  afterAll(() => {
    client.close();
    adapters.close();
  });

  /** Expects the error in the log, once, with its stack, and that the next request is served. */
  async function expectLogged(message: string | RegExp, next = client): Promise<void> {
    await until(() => lines.length > 0);
    hog.stop();
    failing = undefined;
    expect(await next.ask('/healthz', 'GET')).toBe('200');
    expect(lines.map(({ level, err }) => [level, err.stack])).toEqual([
      [
        50,
        typeof message === 'string'
          ? expect.stringMatching(`^TypeError: ${message}\n +at `)
          : expect.stringMatching(message),
      ],
    ]);
  }

  const breaking = isHttp2(transport)
    ? `reset: ${constants.NGHTTP2_INTERNAL_ERROR}`
    : 'closed: ECONNRESET';
  const expected: Record<Seen, string> = { response: '500', broken: breaking };
  const names = Object.keys(FAILING);

  const cases = Object.entries(FAILING);
  describe.each([
    ['is left', cases],
    ['is used up', everyNth(3, cases)],
  ] as const)('while the turn budget %s', (budget, rows) => {
    test.each(rows)('%s', async (name, { seen, method = 'GET' }) => {
      thrown = new TypeError(name);
      if (budget === 'is used up') hog.start();
      const path = `/case/${names.indexOf(name)}`;
      expect(await client.ask(path, method)).toBe(expected[seen]);
      if (budget === 'is used up') expect(turns.isSpent()).toBe(true);
      await expectLogged(OF_THE_PROTOCOL.test(name) ? /^TypeError/ : name);
      if (seen === 'broken') await until(() => terminated.length > 0);
      expect(terminated).toEqual(seen === 'broken' ? ['internal-error'] : []);
    });

    test.each(Object.keys(UPGRADES))('an upgrade: %s', async (name) => {
      thrown = new TypeError(name);
      if (budget === 'is used up') hog.start();
      const seen = await upgrade(transport, adapters.port, `/upgrade/${name}`);
      expect(seen).toBe(isHttp2(transport) ? breaking : 'closed');
      await expectLogged(name);
      // The client may know before the service tells: with --inspect, a later test would count it.
      await until(() => terminated.length > 0);
      expect(terminated).toEqual(['internal-error']);
    });

    test.each(['opened', 'detected', 'began', 'responded', 'finished'] as const)(
      'an observer: %s',
      async (name) => {
        thrown = new TypeError(name);
        failing = name;
        if (budget === 'is used up') hog.start();
        const next = open(transport, adapters.port);
        expect(await next.ask('/healthz', 'GET')).toBe('200');
        await expectLogged(name, next);
        next.close();
      },
    );
  });

  if (transport === 'http/1.1') {
    test('on HTTP/1.0, content that ends with the connection', async () => {
      const name = 'timed: a wait rejects';
      thrown = new TypeError(name);
      const request = `GET /case/${names.indexOf(name)} HTTP/1.0\r\nHost: x\r\n\r\n`;
      await exchange(adapters.port, request);
      // After FIN it would look complete. libuv may read RST as FIN if it follows content at once.
      expect(closings).toEqual(['reset internal-error']);
      await expectLogged(name);
    });
  }

  test.each(Object.keys(SECOND))('a second response, %s, breaks off the first', async (name) => {
    const isComplete = isHttp2(transport) && differs('A second response to a request');
    expect(await client.ask(`/twice/${name}`, 'GET')).toBe(isComplete ? '500' : breaking);
    if (isComplete) return;
    await until(() => terminated.length > 0);
    expect(terminated).toEqual(['internal-error']);
  });

  if (!isHttp2(transport)) {
    test('a response that is broken off closes the connection after those before it', async () => {
      const socket = await openSocket(
        adapters.port,
        isSecure(transport) ? ['http/1.1'] : undefined,
      );
      const before = responded;
      const requests = ['/slow', '/twice/plain'].map(
        (path) => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`,
      );
      const received = converse(socket, requests.join(''), () => false);
      await until(() => responded > before);
      expect(closings).toEqual([]);
      release();
      expect(statusesOf(await received)).toEqual([200]);
      await until(() => terminated.length > 0);
      expect(terminated).toEqual(['internal-error']);
    });
  }

  test('an observer of one request', async () => {
    thrown = new TypeError('observed');
    expect(await client.ask('/observed', 'POST')).toBe('200');
    await until(() => lines.length === 2);
    expect(lines.map(({ err }) => err.stack)).toEqual([
      expect.stringMatching('^TypeError: observed\n'),
      expect.stringMatching('^TypeError: observed\n'),
    ]);
  });

  test('an observer: closed', async () => {
    thrown = new TypeError('closed');
    const next = open(transport, adapters.port);
    expect(await next.ask('/healthz', 'GET')).toBe('200');
    // Those of other tests.
    await until(() => adapters.listener.connections.size <= 2);
    failing = 'closed';
    next.close();
    await expectLogged('closed');
  });
});
