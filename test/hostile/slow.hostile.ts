import { connect, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { exchange, GET, LAST, statusesOf } from '../_raw.ts';
import { Siege } from './_siege.ts';

const LIMIT = 3;
const siege = new Siege([`--header-timeout=${LIMIT}`, `--request-timeout=${LIMIT}`]);

beforeAll(() => siege.begin());
afterAll(() => siege.end());

/** Opens connections that each send the bytes and then, every half second, one more. */
async function trickle(count: number, bytes: Uint8Array, more: string): Promise<number[]> {
  const lifetimes: Promise<number>[] = [];
  for (let opened = 0; opened < count; opened += 100) {
    for (let at = 0; at < 100; at++) lifetimes.push(lifetime(siege.port, bytes, more));
    await pause(20);
  }
  return Promise.all(lifetimes);
}

function lifetime(port: number, bytes: Uint8Array, more: string): Promise<number> {
  return new Promise((resolve) => {
    const socket: Socket = connect(port, '127.0.0.1');
    let began = 0;
    socket.on('error', () => undefined).resume();
    socket.once('connect', () => {
      began = performance.now();
      socket.write(bytes);
    });
    const timer = setInterval(() => socket.write(more), 500);
    // The service has closed when its FIN is here; the client's own side is closed behind it.
    socket.once('end', () => socket.destroy());
    socket.once('close', () => {
      clearInterval(timer);
      resolve((performance.now() - began) / 1000);
    });
  });
}

const latin1 = (text: string): Buffer => Buffer.from(text, 'latin1');

test.each([
  ['slow heads', latin1('GET / HTTP/1.1\r\nHost: x\r\nX: '), 'a'],
  ['no byte at all', latin1(''), ''],
  ['one byte', latin1('G'), ''],
  ['half a preface', latin1('PRI * HT'), ''],
  ['half a ClientHello', Buffer.from([0x16, 3, 1, 2, 0, 1, 0, 1, 0xfc, 3, 3]), ''],
])('a thousand clients: %s', async (name, bytes, more) => {
  const lifetimes = await siege.withstand(name, () => trickle(1000, bytes, more));
  expect(lifetimes).toHaveLength(1000);
  expect(Math.max(...lifetimes)).toBeLessThan(LIMIT + 1 + 0.5);
});

test('five hundred slow bodies', async () => {
  const head = latin1('POST /post HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n');
  const lifetimes = await siege.withstand('slow bodies', () => trickle(500, head, 'a'));
  // 408 is on its way by then; who still sends is lingered for, for 2 s and more.
  expect(Math.max(...lifetimes)).toBeLessThan(LIMIT + 1 + 0.5 + 32);
});

test('ten thousand idle connections', async () => {
  const sockets: Socket[] = [];
  await siege.withstand('idle connections', async () => {
    for (let opened = 0; opened < 10_000; opened += 200) {
      const batch = Array.from({ length: 200 }, () => idle(siege.port));
      sockets.push(...(await Promise.all(batch)));
      await pause(20);
    }
    const { memory, descriptors } = siege.usage();
    expect(descriptors).toBeGreaterThan(10_000);
    expect(memory).toBeLessThan(200);
    const began = performance.now();
    expect(statusesOf(await exchange(siege.port, GET('/healthz', LAST)))).toEqual([200]);
    expect(performance.now() - began).toBeLessThan(50);
    for (const socket of sockets) socket.destroy();
  });
});

/** A connection whose one request has been answered. */
function idle(port: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('error', reject);
    socket.once('connect', () => socket.write(GET('/healthz')));
    socket.once('data', () => {
      socket.off('error', reject).on('error', () => undefined);
      resolve(socket);
    });
  });
}
