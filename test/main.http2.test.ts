import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { FrameSplitter } from '../src/wire/http2/frame.ts';
import * as h2 from './_frames.ts';
import { installed, Running } from './_process.ts';
import { openSocket } from './_raw.ts';
import { everyNth } from './_whole.ts';

// Memory errors end a process of glibc soon if what is freed is not kept for the next allocation.
const env = { GLIBC_TUNABLES: 'glibc.malloc.tcache_count=0' };
/** Connections at a time. */
const BATCH = 10;
const BATCHES = everyNth(2, [1, 2, 3, 4]).length;

const collect = '--import data:text/javascript,setInterval(gc,20).unref()';
const collecting = { ...env, NODE_OPTIONS: `--expose-gc ${collect}` };

const installation = installed('bundled');

async function serve(args: string[] = [], environment: NodeJS.ProcessEnv = env): Promise<Running> {
  const running = installation().run(['--port=0', '--host=127.0.0.1', ...args], {
    env: environment,
  });
  await running.listens();
  return running;
}

const requests = (first: number, count: number): Buffer[] =>
  Array.from({ length: count }, (_, at) => h2.get(2 * (first + at) + 1, '/status/204'));
const goaway = h2.frame(h2.GOAWAY, 0, 0, Buffer.alloc(8));

test('a crash is reported with its signal', async () => {
  const crashing = new Running(spawn(process.execPath, ['-e', 'process.abort()']));
  await crashing.exit;
  expect(() => crashing.assertNotCrashed()).toThrow('a process ended with SIGABRT');
});

// nodejs/node#64113: Node 20 refused streams of a closed session while nghttp2 read them.
test('requests in the same bytes as the GOAWAY of a drain', async () => {
  const running = await serve(['--drain-delay=0']);
  const clients = await Promise.all(
    Array.from({ length: BATCH }, async () => {
      const socket = await openSocket(running.port);
      return new h2.FrameClient(socket.on('error', () => undefined));
    }),
  );
  await Promise.all(
    clients.map(async (client, at) => {
      for (let first = 0; !client.ended && first < 1000; first += 4) {
        client.send(...requests(first, 4));
        if (at === 0 && first === 80) running.child.kill();
        await pause(0);
      }
      client.socket.destroy();
    }),
  );
  expect(await running.exit, running.stderr).toBe(0);
});

const mixed: readonly (readonly [string, string[] | undefined, string[], Buffer[]])[] = [
  ['a GOAWAY of the client', undefined, [], [goaway]],
  ['the last request of a connection', undefined, ['--max-requests-per-connection=10'], []],
  ['a GOAWAY of the client over TLS', ['h2'], [], [goaway]],
];

test.each(everyNth(2, mixed))(
  'requests in the same bytes as %s',
  async (_, alpn, args, between) => {
    const running = await serve(args);
    const bytes = Buffer.concat([...requests(0, 10), ...between, ...requests(10, 5)]);
    for (let batch = 0; batch < BATCHES; batch++) {
      const sockets = await Promise.all(
        Array.from({ length: BATCH }, () => openSocket(running.port, alpn)),
      );
      await Promise.all(
        sockets.map(async (socket) => {
          const client = new h2.FrameClient(socket.on('error', () => undefined));
          // The first bytes are read in JavaScript.
          while (!client.ended && client.got(h2.SETTINGS).length < 2) await pause(1);
          client.send(bytes);
          while (!client.ended && client.goaway() === undefined) await pause(1);
          socket.destroy();
        }),
      );
    }
    running.child.kill();
    expect(await running.exit, running.stderr).toBe(0);
  },
);

const largeWindows = [
  // SETTINGS_INITIAL_WINDOW_SIZE
  h2.frame(h2.SETTINGS, 0, 0, Buffer.from('00047fffffff', 'hex')),
  h2.frame(h2.WINDOW_UPDATE, 0, 0, h2.uint32(2 ** 30)),
];
/** A GET of more than a socket buffers, without END_STREAM, and fields that are not all of its trailers. */
const incompleteTrailers = Buffer.concat([
  h2.PREFACE,
  ...largeWindows,
  h2.frame(
    h2.HEADERS,
    h2.END_HEADERS,
    1,
    h2.fieldBlock([
      [':method', 'GET'],
      [':scheme', 'http'],
      [':authority', 'x'],
      [':path', '/range/10000000'],
    ]),
  ),
  h2.frame(h2.HEADERS, h2.END_STREAM, 1, h2.fieldBlock([['x-trailer', 'value']])),
]);
/** RFC 9113 4.3: only CONTINUATION may follow. */
const unexpected = h2.frame(h2.PING, 0, 0, Buffer.alloc(8));

// Compare nodejs/node#35233: the process ended if a native session was collected before its streams.
test('a session that fails within trailers, while its response is not read', async () => {
  const running = await serve([], collecting);
  for (let batch = 0; batch < 2 * BATCHES; batch++) {
    const sockets = await Promise.all(
      Array.from({ length: BATCH }, () => openSocket(running.port)),
    );
    for (const socket of sockets)
      socket
        .on('error', () => undefined)
        .pause()
        .write(incompleteTrailers);
    await pause(50);
    for (const socket of sockets) socket.write(unexpected);
    await pause(50);
    for (const socket of sockets) socket.resetAndDestroy();
  }
  running.child.kill();
  expect(await running.exit, running.stderr).toBe(0);
});

/** Forwards to a port, and writes a PRIORITY of six bytes (RFC 9113 6.3) after the end of each response. */
async function relayTo(port: number): Promise<number> {
  // Those before the load are not read by nghttp2.
  let connections = 0;
  const relay = createServer((client) => {
    connections++;
    const origin = connect(port, '127.0.0.1');
    const splitter = new FrameSplitter();
    client.on('error', () => origin.destroy()).on('close', () => origin.destroy());
    origin.on('error', () => client.destroy()).on('close', () => client.destroy());
    client.pipe(origin);
    origin.on('data', (piece: Buffer) => {
      const frames = splitter.push(piece).flatMap(({ type, flags, stream, payload }) => {
        const ends = type <= h2.HEADERS && (flags & h2.END_STREAM) !== 0 && connections > 2;
        const invalid = h2.frame(h2.PRIORITY, 0, stream, Buffer.alloc(6));
        const forwarded = h2.frame(type, flags, stream, payload);
        return ends ? [forwarded, invalid] : forwarded;
      });
      client.write(Buffer.concat(frames));
    });
  });
  return listen(relay);
}

/** A target that forwards the first connections, and on others reads nothing and begins a response that breaks the rules. */
async function halfAnswering(port: number): Promise<number> {
  let connections = 0;
  const target = createServer((client) => {
    client.on('error', () => undefined);
    // What bench sends before the load.
    if (++connections <= 3) {
      const origin = connect(port, '127.0.0.1');
      origin.on('error', () => client.destroy()).on('close', () => client.destroy());
      client
        .on('close', () => origin.destroy())
        .pipe(origin)
        .pipe(client);
      return;
    }
    client.pause().write(Buffer.concat(largeWindows));
    const incomplete = h2.frame(h2.HEADERS, 0, 1, h2.fieldBlock([[':status', '200']]));
    setTimeout(() => client.write(incomplete), 100);
    setTimeout(() => client.write(unexpected), 150);
    setTimeout(() => client.resetAndDestroy(), 300);
  });
  return listen(target);
}

async function listen(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

/** The exit code if the machine was too busy for a verdict. */
const BUSY = 3;

async function bench(port: number, environment: NodeJS.ProcessEnv, ...args: string[]) {
  const target = `http://127.0.0.1:${port}`;
  const load = ['--protocol=h2c', '--rounds=1', '--timeout=1s', ...args];
  const running = installation().run(['bench', target, ...load], { env: environment });
  return { exit: await running.exit, stderr: running.stderr };
}

test('bench: a target that breaks the rules in the bytes that end a response', async () => {
  const port = await relayTo((await serve()).port);
  const load = ['--duration=200ms', '--connections=2', '--only=connections'];
  const { exit, stderr } = await bench(port, env, ...load);
  expect([0, BUSY], stderr).toContain(exit);
});

test('bench: a target that fails within a response, and does not read requests', async () => {
  const port = await halfAnswering((await serve()).port);
  const load = ['--duration=2s', '--connections=4', '--only=upload-64k'];
  const { exit, stderr } = await bench(port, collecting, ...load);
  expect([1, BUSY], stderr).toContain(exit);
});
