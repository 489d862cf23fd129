import { once } from 'node:events';
import type { Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { usageOf } from '../../bench/soak/sample.ts';
import { until } from '../_adapters.ts';
import { openClient } from '../_client.ts';
import {
  END_HEADERS,
  END_STREAM,
  FrameClient,
  HEADERS,
  OPENING,
  PRIORITY,
  WINDOW_UPDATE,
  fieldBlock,
  frame,
  get,
  post,
  uint32,
} from '../_frames.ts';
import { exchange, GET, LAST, openSocket, statusesOf } from '../_raw.ts';
import { installed } from '../_process.ts';
import { Reader } from '../_tap.ts';
import { childrenOf } from '../cluster/_workers.ts';
import { besieged } from './_siege.ts';
import { echoOf } from '../_echo.ts';

/** Rounds of each attack; 200 for the long form. */
const ROUNDS = Number(process.env['HOSTILE_ROUNDS'] ?? 10);
/** A million for the long form. */
const PIPELINED = Number(process.env['HOSTILE_PIPELINED'] ?? 20_000);
const TOGETHER = 50;

const siege = besieged(['--tap', '--max-header-size=1M'], { inspectMemory: 8 });

const installation = installed();

const odd = (at: number): number => 2 * at + 1;
const many = (count: number, make: (at: number) => Buffer): Buffer =>
  Buffer.concat(Array.from({ length: count }, (_, at) => make(at)));
const PSEUDO: [string, string][] = [
  [':method', 'GET'],
  [':scheme', 'http'],
  [':path', '/ip'],
  [':authority', 'x'],
];
/** Fields of a byte each, from the static table: 40 times as large when they are decoded. */
const smallFields = (at: number): Buffer =>
  frame(
    HEADERS,
    END_HEADERS | END_STREAM,
    odd(at),
    Buffer.concat([fieldBlock(PSEUDO), Buffer.alloc(1900, 0x90)]),
  );

interface Attack {
  readonly name: string;
  readonly alpn?: string[];
  readonly bytes: string | Buffer;
}

const attacks: readonly Attack[] = [
  { name: 'requests, pipelined', bytes: GET('/ip').repeat(300) },
  { name: 'requests over TLS', alpn: ['http/1.1'], bytes: GET('/ip') },
  { name: 'long heads without an end', bytes: `GET / HTTP/1.1\r\nX: ${'a'.repeat(30_000)}` },
  {
    name: 'heads of 1 MiB',
    bytes: `GET /ip HTTP/1.1\r\nHost: x\r\nX: ${'a'.repeat(1_000_000)}\r\n\r\n`,
  },
  {
    name: 'heads of 1 MiB without an end',
    bytes: `GET /ip HTTP/1.1\r\nHost: x\r\nX: ${'a'.repeat(1_000_000)}`,
  },
  {
    name: 'chunks of one byte',
    bytes: `POST /post HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n${'1\r\na\r\n'.repeat(20_000)}`,
  },
  {
    name: 'streams',
    bytes: Buffer.concat([OPENING, many(240, (at) => get(odd(at), '/ip'))]),
  },
  { name: 'fields of a byte', bytes: Buffer.concat([OPENING, many(20, smallFields)]) },
  {
    name: 'PRIORITY on idle streams',
    bytes: Buffer.concat([
      OPENING,
      many(5000, (at) => frame(PRIORITY, 0, odd(at), Buffer.alloc(5))),
    ]),
  },
];

// First: what is sent by the attacks below is read for seconds after their clients have gone.
test('requests pipelined on one connection are kept within its memory', async () => {
  const growth = await siege.withstand(`${PIPELINED} requests, pipelined`, async () => {
    const socket = await openSocket(siege.port);
    socket.resume();
    const batch = GET('/healthz').repeat(1000);
    return siege.growth(async () => {
      for (let sent = 0; sent < PIPELINED; sent += 1000) {
        if (!socket.write(batch)) await once(socket, 'drain');
      }
      socket.write(GET('/healthz', LAST));
      await once(socket, 'end');
      socket.destroy();
    });
  });
  process.stdout.write(`  resident + ${growth.toFixed(0)} MiB\n`);
  expect(growth).toBeLessThan(100);
});

/** Milliseconds for which connections send frames that no limit ends. */
const FLOOD = 2000;

test('connections with frames without an end have turns, also with those of others', async () => {
  await siege.endure('WINDOW_UPDATE without an end', updateWithoutEnd, 600);
});

async function updateWithoutEnd(): Promise<void> {
  const sockets = await Promise.all(Array.from({ length: 16 }, openFlood));
  await pause(FLOOD);
  for (const socket of sockets) socket.destroy();
}

const UPDATES = many(2000, () => frame(WINDOW_UPDATE, 0, 1, uint32(1)));

async function openFlood(): Promise<Socket> {
  const socket = await openSocket(siege.port);
  const write = (): void => {
    while (!socket.destroyed && socket.write(UPDATES));
  };
  socket.on('error', () => undefined).resume();
  socket.write(Buffer.concat([OPENING, post(1, '/upload')]));
  // Sent at once, less is in the buffers of the system, from which the service reads.
  await pause(200);
  socket.on('drain', write);
  write();
  return socket;
}

test.each(attacks)(
  'closed connections are kept within --inspect-memory: $name',
  async ({ name, alpn, bytes }) => {
    await siege.withstand(name, async () => {
      for (let round = 0; round < ROUNDS; round++) {
        await Promise.all(Array.from({ length: TOGETHER }, () => visit(bytes, alpn)));
      }
    });
  },
);

test('frames to two workers: memory stays in both', async () => {
  // Frames that are still unread delay later connections, for longer on a busy machine.
  const common = ['--port=0', '--host=127.0.0.1', '--header-timeout=100'];
  const running = installation().run([...common, '--workers=2', '--inspect', '--inspect-memory=8']);
  await running.listens();
  const used = (): number => Math.max(...childrenOf(running).map((pid) => usageOf(pid).memory));
  const flood = Buffer.concat([
    OPENING,
    many(20_000, (at) => frame(PRIORITY, 0, odd(at), Buffer.alloc(5))),
  ]);
  const rounds = async (): Promise<number> => {
    for (let round = 0; round < ROUNDS; round++) {
      await Promise.all(Array.from({ length: 10 }, () => visit(flood, undefined, running.port)));
    }
    return used();
  };
  const first = await rounds();
  const second = await rounds();
  process.stdout.write(`  resident ${first.toFixed(0)}, then ${second.toFixed(0)} MiB\n`);
  expect(second).toBeLessThan(first + 50);
  expect(statusesOf(await exchange(running.port, GET('/get', LAST)))).toEqual([200]);
  running.child.kill('SIGTERM');
  expect(await running.exit).toBe(0);
});

/** Sends the bytes, and disconnects when the service has had time to read them. */
async function visit(bytes: string | Buffer, alpn?: string[], port = siege.port): Promise<void> {
  const socket = await openSocket(port, alpn);
  socket.on('error', () => undefined).resume();
  socket.write(bytes);
  await pause(50);
  socket.destroy();
}

test('the story of the fullest connection is sent quickly', async () => {
  const client = new FrameClient(await openSocket(siege.port), OPENING);
  client.send(get(1, '/get'), ...Array.from({ length: 40 }, (_, at) => smallFields(at + 1)));
  await until(() => client.isDone(1));
  const { conn } = echoOf(client.content(1));
  const reader = openClient('http/1.1', siege.port);
  const wait = await siege.withstand('stories', async () => {
    let longest = 0;
    for (const accept of ['application/json', 'text/plain']) {
      for (let round = 0; round < 10; round++) {
        const began = performance.now();
        const response = await reader.request(`/connections/${conn.id}`, { headers: { accept } });
        longest = Math.max(longest, performance.now() - began);
        expect(response.status).toBe(200);
      }
    }
    return longest;
  });
  process.stdout.write(`  ${wait.toFixed(0)} ms at most\n`);
  reader.close();
  client.socket.destroy();
});

test.each(['http/1.1', 'h2'] as const)(
  'readers of frames over %s neither feed themselves nor hold much',
  async (transport) => {
    await siege.withstand(`readers of frames, ${transport}`, async () => {
      const readers = await Promise.all(
        Array.from({ length: 8 }, () => Reader.open(transport, siege.port, '?kind=frame')),
      );
      for (const reader of readers) reader.allow();
      const growth = await siege.growth(async () => {
        for (let round = 0; round < 40; round++) {
          await visit(Buffer.concat([OPENING, many(40, smallFields)]));
        }
      });
      process.stdout.write(`  resident + ${growth.toFixed(0)} MiB\n`);
      expect(growth).toBeLessThan(150);
      for (const { socket } of readers) socket.destroy();
    });
  },
);

test('it serves after all of that', async () => {
  expect(statusesOf(await exchange(siege.port, GET('/get', LAST)))).toEqual([200]);
});
