import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { until } from '../_adapters.ts';
import { openClient } from '../_client.ts';
import {
  END_HEADERS,
  END_STREAM,
  fieldBlock,
  frame,
  FrameClient,
  get,
  HEADERS,
  PREFACE,
  PRIORITY,
  SETTINGS,
} from '../_frames.ts';
import { exchange, GET, LAST, openSocket, statusesOf } from '../_raw.ts';
import { Reader } from '../_tap.ts';
import { Siege } from './_siege.ts';

const siege = new Siege(['--tap'], { inspectMemory: 8 });
beforeAll(() => siege.begin());
afterAll(() => siege.end());

const OPENING = Buffer.concat([PREFACE, frame(SETTINGS, 0, 0)]);
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
  /**
   * Connections at once, 5 by default. Five of those that have 1 hold up honest clients for half a second,
   * and for 70 ms without --inspect: these tests are of memory.
   */
  readonly together?: number;
}

const attacks: readonly Attack[] = [
  { name: 'requests, pipelined', bytes: GET('/ip').repeat(300) },
  { name: 'requests over TLS', alpn: ['http/1.1'], bytes: GET('/ip') },
  { name: 'long heads without an end', bytes: `GET / HTTP/1.1\r\nX: ${'a'.repeat(30_000)}` },
  {
    name: 'chunks of one byte',
    together: 50,
    bytes: `POST /post HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n${'1\r\na\r\n'.repeat(20_000)}`,
  },
  {
    name: 'streams',
    together: 50,
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

test.each(attacks)(
  'closed connections are kept within --inspect-memory: $name',
  async ({ name, alpn, bytes, together = 50 }) => {
    await siege.withstand(name, async () => {
      for (let round = 0; round < 20; round++) {
        await Promise.all(Array.from({ length: together }, () => visit(bytes, alpn)));
      }
    });
  },
);

/** Sends the bytes, and disconnects when the service has had time to read them. */
async function visit(bytes: string | Buffer, alpn?: string[]): Promise<void> {
  const socket = await openSocket(siege.port, alpn);
  socket.on('error', () => undefined).resume();
  socket.write(bytes);
  await pause(50);
  socket.destroy();
}

test('the story of the fullest connection is sent quickly', async () => {
  const client = new FrameClient(await openSocket(siege.port), OPENING);
  client.send(get(1, '/get'), ...Array.from({ length: 40 }, (_, at) => smallFields(at + 1)));
  await until(() => client.isDone(1));
  const { conn } = JSON.parse(client.content(1)) as { readonly conn: { readonly id: string } };
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
