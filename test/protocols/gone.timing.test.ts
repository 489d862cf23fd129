import { readFile } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { completeState } from '../../src/endpoints/all.ts';
import { delay } from '../../src/endpoints/delay.ts';
import { drip } from '../../src/endpoints/drip.ts';
import { informational } from '../../src/endpoints/informational.ts';
import { jsonLines } from '../../src/endpoints/jsonl.ts';
import { range } from '../../src/endpoints/range.ts';
import { serverSentEvents } from '../../src/endpoints/sse.ts';
import { endpoint } from '../../src/server/endpoint.ts';
import { pullSource, repeatable } from '../../src/server/payload.ts';
import { reply } from '../../src/server/reply.ts';
import { sharedAdapters, until, type Adapters } from '../_adapters.ts';
import { transports } from '../_client.ts';
import * as h2 from '../_frames.ts';
import { converse, GET, openPair, openSocket, POST, statusesOf } from '../_raw.ts';
import { startService } from '../_service.ts';
import { portInTable } from '../_system.ts';
import { Stream } from '../_stream.ts';
import { collectGarbage } from '../_garbage.ts';
import { HTTP1, nextHeld } from '../_shared.ts';

const { maxDuration } = completeState;
const slow = [
  ...[delay, drip, informational, jsonLines, range].map((make) => make(maxDuration)),
  serverSentEvents(maxDuration, { verbatim: false, redirects: [] }),
];

function timers(): number {
  return process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length;
}

function openRequests({ listener }: Adapters): number {
  return [...listener.connections].reduce((sum, connection) => sum + connection.requests.open, 0);
}

describe.each(transports)('over %s', (transport) => {
  /** Memory referenced by the responses of /endless. */
  const held: WeakRef<object>[] = [];

  const endless = endpoint({
    path: '/endless',
    group: 'content',
    summary: 'More than anybody reads.',
    responses: {},
    handle() {
      const piece = new Uint8Array(64 * 1024);
      held.push(new WeakRef(piece));
      return reply(
        'application/octet-stream',
        repeatable(() => pullSource(2 ** 40, (size) => piece.subarray(0, size))),
      );
    },
  });

  const adapters = sharedAdapters({}, [endless, ...slow]);

  test('a client that disconnects during its response leaves none of it in memory', async () => {
    const stream = new Stream(transport, adapters().port, '/endless');
    await until(() => stream.arrivals.length > 0);
    stream.pause();
    expect(held).toHaveLength(1);
    stream.close();
    await until(() => adapters().listener.connections.size === 0);
    await until(() => {
      collectGarbage();
      return held[0]?.deref() === undefined;
    });
  });

  test.each([
    '/delay/300',
    '/drip?duration=300',
    '/drip?delay=300',
    '/sse?duration=300&jitter=1',
    '/sse?delay=300',
    '/jsonl?duration=300&count=10000',
    '/jsonl?delay=300',
    '/range/1000?duration=300&chunk_size=1',
    '/informational/103?interval=300',
  ])('a client that disconnects during %s leaves no timer', async (target) => {
    const stream = new Stream(transport, adapters().port, target);
    onTestFinished(() => stream.close());
    await until(() => openRequests(adapters()) === 1);
    await until(() => timers() > 0);
    stream.close();
    await until(() => adapters().listener.connections.size === 0);
    await until(() => timers() === 0);
  });

  test('a hundred clients that disconnect at once leave no timer', async () => {
    const targets = Array.from({ length: 100 }, (_, at) =>
      at % 2 ? '/drip?duration=300' : '/delay/300',
    );
    const streams = targets.map((target) => new Stream(transport, adapters().port, target));
    await until(() => openRequests(adapters()) === 100);
    await until(() => timers() >= 100);
    for (const stream of streams) stream.close();
    const start = performance.now();
    await until(() => timers() === 0);
    // The time to close a hundred connections.
    expect(performance.now() - start).toBeLessThan(2000);
  });
});

describe.concurrent.each(HTTP1)('%s, a client that has half-closed its connection', (_, alpn) => {
  const LATER = 1500;
  const late = endpoint({
    path: '/late',
    group: 'timing',
    summary: 'Content of which the first piece comes late.',
    responses: {},
    handle() {
      const pieces: (string | null)[] = [null, 'late'];
      return reply('text/plain', {
        kind: 'timed',
        next: () => pieces.shift(),
        wait: (signal) => pause(LATER, undefined, { signal }),
      });
    },
  });
  const adapters = sharedAdapters({}, [late, drip(maxDuration)]);

  /** Everything received for a request followed by FIN. */
  const receive = async (target: string): Promise<string> => {
    const socket = await openSocket(adapters().port, alpn);
    const conversation = converse(socket, GET(target));
    socket.end();
    return conversation;
  };

  test.sequential('gets its late response and nothing before it', async () => {
    const conversation = receive('/hold');
    const held = await nextHeld(adapters());
    await pause(LATER);
    held.respond();
    const received = await conversation;
    expect(received).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
    expect(statusesOf(received)).toEqual([200]);
  });

  test.sequential('gets a chunked response as any other client does', async () => {
    const received = await receive('/late');
    expect(received).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
    expect(received).toMatch(/\r\n\r\n4\r\nlate\r\n0\r\n\r\n$/);
  });

  test.sequential('gets the chunks of a slow response', async () => {
    const received = await receive('/drip?numbytes=3&duration=2');
    expect(received).toMatch(/\r\n\r\n(?:1\r\n\*\r\n){3}0\r\n\r\n$/);
  });

  test.sequential('is detected within two seconds after its RST', async () => {
    const { clear, socket } = await openPair(adapters().port, alpn);
    const before = adapters().held.length;
    // oxlint-disable-next-line no-underscore-dangle -- the name is Node's
    clear._handle?.readStop();
    socket.write(GET('/healthz') + GET('/hold') + GET('/hold'));
    socket.end();
    await until(() => adapters().held.length === before + 2);
    const requests = adapters()
      .held.slice(before)
      .map(({ request }) => request);
    const signals = requests.map((request) => request.signal);
    await until(() => requests[0]?.connection.requests.open === 2);
    // A socket closed with unread bytes sends RST.
    socket.destroy();
    const left = performance.now();
    await until(() => signals.every(({ aborted }) => aborted));
    expect(performance.now() - left).toBeLessThan(2000);
    await until(() => adapters().listener.connections.size === 0);
  });

  // The client's kernel keeps a socket in FIN_WAIT_2 for a minute and only then sends RST.
  test.runIf(process.platform === 'linux').sequential('is probed with TCP keep-alive', async () => {
    const socket = await openSocket(adapters().port, alpn);
    socket.write(GET('/hold'));
    const held = await nextHeld(adapters());
    /** Seconds until the next probe. */
    const next = async (): Promise<number> => {
      const port = portInTable(socket.localPort ?? 0);
      const connections = await readFile('/proc/net/tcp', 'utf8');
      // local, remote, state, queues, timer (2: keep-alive) in hundredths of a second.
      const line = new RegExp(`^ *\\d+: \\S+ [0-9A-F]+:${port} \\S+ \\S+ 02:(\\S+)`, 'm');
      return Number.parseInt(line.exec(connections)?.[1] ?? '', 16) / 100;
    };
    await vi.waitFor(async () => expect(await next()).toBeGreaterThan(10));
    socket.end();
    await vi.waitFor(async () => expect(await next()).toBeLessThan(6));
    held.respond();
  });
});

const posted = { 'http/1.1': POST('/anything', 'Content-Length: 9\r\n'), h2: multiplexed() };

/** Requests whose content does not come. */
function multiplexed(): Buffer {
  const requests = Array.from({ length: 50 }, (_, at) => h2.post(2 * at + 1, '/anything'));
  return Buffer.concat([h2.PREFACE, h2.frame(h2.SETTINGS, 0, 0), ...requests]);
}

// OpenSSL is still writing its session tickets then. Node loses the error of that write, and with it each
// later write of the connection.
test.each(['http/1.1', 'h2'] as const)(
  '%s clients over TLS that reset with the request are detected within two seconds',
  async (alpn) => {
    const { port, service } = await startService('--tap');
    const count = 20;
    const clients = Array.from({ length: count }, async () => {
      const { clear, socket } = await openPair(port, [alpn]);
      await new Promise((resolve) => {
        socket.write(posted[alpn], resolve);
      });
      clear.resetAndDestroy();
    });
    await Promise.all(clients);
    const left = performance.now();
    await until(() => service.connections?.entries().open.length === 0);
    expect(performance.now() - left).toBeLessThan(3000);
  },
);
