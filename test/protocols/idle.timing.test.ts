import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import type { Socket } from 'node:net';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { startAdapters, until, type Adapters } from '../_adapters.ts';
import * as h2 from '../_frames.ts';
import { GET, openSocket } from '../_raw.ts';

const IDLE = 600;
/** Milliseconds between a timer of this process and a close that is due at the same time. */
const LATE = 50;

/** Times at which requests have finished, and at which connections must be closed, by a timer that is as late as all. */
const finished: number[] = [];
const due: number[] = [];

let adapters: Adapters;
beforeAll(async () => {
  // Checked rarely, as in a service, where it is once a second for at least a second of idle time.
  adapters = await startAdapters(
    { idleTimeout: IDLE, sweepInterval: 500 },
    [],
    [
      {
        finished: ({ connection }) => {
          const at = connection.remotePort;
          finished[at] = performance.now();
          setTimeout(() => (due[at] = performance.now()), IDLE);
        },
      },
    ],
  );
});

/** Waits until an idle connection is closed, in time. */
async function closedInTime(socket: Socket): Promise<void> {
  const { localPort: at = 0 } = socket;
  await once(socket, 'end');
  const now = performance.now();
  socket.destroy();
  expect(now - (finished[at] ?? 0)).toBeGreaterThan(IDLE - 2);
  await until(() => due[at] !== undefined);
  expect(now - (due[at] ?? 0)).toBeLessThan(LATE);
}

const PROTOCOLS: [name: string, alpn: string[] | undefined, bytes: Buffer][] = [
  ['HTTP/1.1', undefined, Buffer.from(GET('/healthz'))],
  ['HTTP/1.1 over TLS', ['http/1.1'], Buffer.from(GET('/healthz'))],
  ['HTTP/1.0', undefined, Buffer.from('GET /healthz HTTP/1.0\r\nConnection: keep-alive\r\n\r\n')],
  ['h2c', undefined, Buffer.concat([h2.OPENING, h2.get(1, '/healthz')])],
  ['h2', ['h2'], Buffer.concat([h2.OPENING, h2.get(1, '/healthz')])],
];

test.each(PROTOCOLS)('an idle connection is closed on time: %s', async (_, alpn, bytes) => {
  await Promise.all(
    // Not all just after a check.
    [0, 90, 180, 270, 360, 450].map(async (delay) => {
      await pause(delay);
      const socket = await openSocket(adapters.port, alpn);
      socket.resume().write(bytes);
      await closedInTime(socket);
    }),
  );
});

test('a request renews the time, and bytes that are none do not (RFC 9112 2.2)', async () => {
  const socket = await openSocket(adapters.port);
  socket.resume().write(GET('/healthz'));
  await pause(400);
  due.length = 0;
  socket.write(GET('/healthz'));
  const timer = setInterval(() => socket.write('\r\n'), 100);
  onTestFinished(() => clearInterval(timer));
  await closedInTime(socket);
});
