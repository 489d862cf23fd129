import { once } from 'node:events';
import http from 'node:http';
import https from 'node:https';
import { constants, type ClientHttp2Session } from 'node:http2';
import pino from 'pino';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { connectHttp2 } from '../../src/net/http2-sessions.ts';
import { turns } from '../../src/net/turn-budget.ts';
import { observeContent, streamContent } from '../../src/server/body.ts';
import { endpoint, type Endpoint } from '../../src/server/endpoint.ts';
import type { Fault } from '../../src/server/fault.ts';
import type { ExchangeObserver } from '../../src/server/observer.ts';
import type { Payload, Repeatable, Streamed, TimedStream } from '../../src/server/payload.ts';
import { empty, text, type Reply } from '../../src/server/reply.ts';
import type { Request } from '../../src/server/request.ts';
import type { UpgradeChannel } from '../../src/server/upgrade.ts';
import { EventLog } from '../../src/telemetry/event-log.ts';
import { startAdapters, until, type Adapters } from '../_adapters.ts';
import { isHttp2, isSecure, transports, type Transport } from '../_client.ts';
import { openSocket } from '../_raw.ts';
import { frame, HANDSHAKE } from '../_websocket.ts';

/** More than the largest window, of shared pieces, and than that of others. */
const MUCH = 1536 * 1024;
const SOME = 192 * 1024;

/** What the client sees of an error: a response in its place, the end of the one that has begun, or none of it. */
type Seen = 'response' | 'broken' | 'nothing';

/** The functions are given the error to throw. */
interface Case {
  readonly seen: Seen;
  readonly method?: 'POST';
  readonly handle: (fail: () => never, request: Request) => Reply | Promise<Reply>;
}

const replyWith = (payload: Payload, more: Partial<Reply> = {}): Reply => ({
  status: 200,
  fields: [],
  payload,
  ...more,
});

const ZEROS = new Uint8Array(MUCH);

/** A source that fails after so many bytes. */
function pulled(fail: () => never, after: number, shared = false): Repeatable {
  let left = after;
  return {
    kind: 'pulled',
    length: MUCH,
    shared,
    next(size) {
      if (left === 0) return fail();
      const piece = ZEROS.subarray(0, Math.min(size, left));
      left -= piece.length;
      return piece;
    },
    fix: () => () => pulled(fail, after, shared),
  };
}

function streamed(
  fail: () => never,
  pieces: readonly (string | Uint8Array)[],
  shared = false,
): Streamed {
  let at = 0;
  return { kind: 'streamed', shared, next: () => pieces[at++] ?? fail() };
}

/** A timed payload: what its calls of `next` and `wait` do. */
function timed(
  next: TimedStream['next'],
  wait: () => Promise<void> = () => Promise.resolve(),
): TimedStream {
  return { kind: 'timed', next, wait };
}

/** The calls in order. */
function inTurn<Result>(...calls: readonly (() => Result)[]): () => Result {
  let at = 0;
  return () => {
    const call = calls[Math.min(at++, calls.length - 1)];
    if (!call) throw new Error('no calls');
    return call();
  };
}

const X = 'x'.repeat(1024);
const BYTES = new Uint8Array(64 * 1024);
/** A name that HTTP/1.1 cannot send, and one that HTTP/2 cannot. */
const UNSENDABLE = ['a b', 'x', 'upgrade', 'x'];

const broken = (make: (fail: () => never) => Payload, more: Partial<Reply> = {}): Case => ({
  seen: 'broken',
  handle: (fail) => replyWith(make(fail), more),
});

const PAYLOADS: Record<string, Case> = {
  'pulled: the first piece': broken((fail) => pulled(fail, 0)),
  'pulled: a later piece': broken((fail) => pulled(fail, SOME)),
  'pulled: a later piece, shared': broken((fail) => pulled(fail, MUCH - 1, true)),
  'pulled: a sent piece is released': broken((fail) => ({
    ...pulled(() => fail(), MUCH),
    release: inTurn(
      () => undefined,
      fail,
      () => undefined,
    ),
  })),
  'streamed: the first piece': broken((fail) => streamed(fail, [])),
  'streamed: a later piece': broken((fail) => streamed(fail, [BYTES, BYTES, BYTES])),
  'streamed: a later piece of text': broken((fail) => streamed(fail, [X, X])),
  'streamed: a later piece, shared': broken((fail) => streamed(fail, [ZEROS], true)),
  'streamed: something that is no piece': broken((fail) => ({
    kind: 'streamed',
    shared: true,
    next: inTurn<Uint8Array>(
      () => BYTES,
      () =>
        Object.create({
          get length() {
            return fail();
          },
        }),
    ),
  })),
  'streamed: trailers that cannot be trailers': broken((fail) => ({
    ...streamed(fail, []),
    next: inTurn<string | undefined>(
      () => X,
      () => undefined,
    ),
    trailers: UNSENDABLE,
  })),
  'timed: the first piece': broken((fail) => timed(fail)),
  'timed: a later piece': broken((fail) =>
    timed(
      inTurn<string | null>(
        () => X,
        () => null,
        () => X,
        fail,
      ),
    ),
  ),
  'timed: a piece after a full window': broken((fail) =>
    timed(
      inTurn<Uint8Array>(
        () => BYTES,
        () => BYTES,
        fail,
      ),
    ),
  ),
  'timed: a wait throws': broken((fail) =>
    timed(
      inTurn<string | null>(
        () => X,
        () => null,
      ),
      fail,
    ),
  ),
  'timed: the first wait throws': broken((fail) => timed(() => null, fail)),
  'timed: a wait rejects': broken((fail) =>
    timed(
      inTurn<string | null>(
        () => X,
        () => null,
      ),
      async () => fail(),
    ),
  ),
  'with a fault: the first piece': broken((fail) => pulled(fail, 0), {
    fault: { kind: 'reset', at: 'body', after: MUCH },
  }),
  'with a fault: a later piece': broken((fail) => pulled(fail, SOME), {
    fault: { kind: 'stall', at: 'body', after: MUCH, seconds: 60 },
  }),
  'with a fault: a wait': broken(
    (fail) =>
      timed(
        inTurn<string | null>(
          () => X,
          () => null,
        ),
        async () => fail(),
      ),
    {
      fault: { kind: 'close', at: 'end', after: 0 },
    },
  ),
  'with a false length: a later piece': broken((fail) => pulled(fail, SOME), {
    fault: { kind: 'content-length', declared: MUCH, sent: MUCH },
  }),
};

/** The content is read before the handler. */
const content = async (request: Request): Promise<void> => {
  await streamContent(request, Infinity, () => undefined);
};

const HANDLERS: Record<string, Case> = {
  'a handler': { seen: 'response', handle: (fail) => fail() },
  'a handler, later': {
    seen: 'response',
    async handle(fail) {
      await new Promise(setImmediate);
      return fail();
    },
  },
  'a handler after its content': {
    seen: 'response',
    method: 'POST',
    async handle(fail, request) {
      await content(request);
      return fail();
    },
  },
  'a handler in its content': {
    seen: 'response',
    method: 'POST',
    async handle(fail, request) {
      await streamContent(request, Infinity, fail);
      return text('x');
    },
  },
  'an observer of content': {
    seen: 'response',
    method: 'POST',
    async handle(fail, request) {
      observeContent(request, fail);
      await content(request);
      return text('late');
    },
  },
  'a callback of a handler': {
    seen: 'response',
    handle: (fail, request) =>
      new Promise(() => {
        request.sendLarge(fail);
      }),
  },
  'fields that cannot be sent': {
    seen: 'response',
    handle: () => text('x', { fields: UNSENDABLE }),
  },
  'fields of a large section that cannot be sent': {
    seen: 'response',
    handle: () => text('x', { fields: [...UNSENDABLE, 'X', 'x'.repeat(20_000)] }),
  },
};
/** Their errors are not those of the test. */
const OF_THE_PROTOCOL = /cannot be sent|cannot be trailers/;

const READING: Record<string, Case> = {
  'a response after content that was not read': {
    seen: 'broken',
    method: 'POST',
    handle: (fail) => replyWith(pulled(fail, 0), { fault: noRead() }),
  },
};
const noRead = (): Fault => ({ kind: 'no-read', after: 0, seconds: 0, scope: 'stream' });

const TRAILERS: Record<string, Case> = {
  'text whose trailers cannot be trailers': {
    seen: 'broken',
    handle: () =>
      replyWith({ kind: 'with-trailers', content: X.repeat(100), trailers: UNSENDABLE }),
  },
  'bytes whose trailers cannot be trailers': {
    seen: 'broken',
    handle: () => replyWith({ kind: 'with-trailers', content: BYTES, trailers: UNSENDABLE }),
  },
};

const CASES = { ...PAYLOADS, ...HANDLERS, ...READING, ...TRAILERS };

/** Set by a test. */
let thrown: TypeError | undefined;
const fail = (): never => {
  throw thrown ?? new Error('no error is set');
};

const rest = { group: 'content', summary: '', responses: {}, params: {} } as const;
const endpoints: readonly Endpoint[] = [
  ...Object.values(CASES).map(({ handle, method }, at) =>
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
  ...Object.entries(upgrades()).map(([name, begin]) =>
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
            begin(channel);
            return { drain: () => undefined };
          },
        },
      }),
    }),
  ),
];

function upgrades(): Record<string, (channel: UpgradeChannel) => void> {
  return {
    begin: () => fail(),
    data: (channel) => channel.on('data', fail),
    // The client has sent something by then.
    later: (channel) =>
      channel.on('data', () =>
        setImmediate(() => {
          try {
            fail();
          } catch (error) {
            channel.failed(error);
          }
        }),
      ),
  };
}

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
  const observer: ExchangeObserver = {
    terminated: (reason) => terminated.push(reason),
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
  const expected: Record<Seen, string> = { response: '500', broken: breaking, nothing: '200' };
  const names = Object.keys(CASES);

  describe.each(['is left', 'is used up'])('while the turn budget %s', (budget) => {
    test.each(names)('%s', async (name) => {
      const { seen, method = 'GET' } = CASES[name] ?? { seen: 'nothing' };
      thrown = new TypeError(name);
      if (budget === 'is used up') hog.start();
      const path = `/case/${names.indexOf(name)}`;
      expect(await client.ask(path, method)).toBe(expected[seen]);
      await expectLogged(OF_THE_PROTOCOL.test(name) ? /^TypeError/ : name);
      if (seen === 'broken') await until(() => terminated.length > 0);
      expect(terminated).toEqual(seen === 'broken' ? ['internal-error'] : []);
    });

    test.each(Object.keys(upgrades()))('an upgrade: %s', async (name) => {
      thrown = new TypeError(name);
      if (budget === 'is used up') hog.start();
      const seen = await upgrade(transport, adapters.port, `/upgrade/${name}`);
      expect(seen).toBe(isHttp2(transport) ? breaking : 'closed');
      await expectLogged(name);
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
