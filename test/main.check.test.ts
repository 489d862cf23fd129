import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { startOrigin } from '../src/check/own-origin.ts';
import { installed } from './_process.ts';

const wirebin = installed();

/** Milliseconds after the report, within which the process has to end. */
const END_TIME = 2000;

/** A relay that gets stuck: from then on it keeps its connections, and neither reads, nor writes, nor closes them. */
async function startStuckRelay(originPort: string) {
  const sockets = new Set<Socket>();
  let isStuck = false;
  const keep = (socket: Socket): Socket => {
    sockets.add(socket);
    return socket.on('error', () => undefined);
  };
  const server = createServer({ allowHalfOpen: true, noDelay: true }, (socket) => {
    const client = keep(socket);
    if (isStuck) return;
    const origin = keep(connect({ port: Number(originPort), host: '127.0.0.1' }));
    client.pipe(origin, { end: false });
    origin.pipe(client, { end: false });
    client.on('close', () => isStuck || origin.destroy()).on('end', () => isStuck || origin.end());
    origin.on('close', () => isStuck || client.destroy());
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  onTestFinished(async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => void server.close(resolve));
  });
  return {
    port: (server.address() as AddressInfo).port,
    stick: (): void => {
      isStuck = true;
      for (const socket of sockets) socket.unpipe().pause();
    },
  };
}

test.each<[scheme: string, wait: number, code: number]>([
  ['http', 0, 3],
  ['https', 0, 3],
  ['http', 1500, 3],
  ['https', 1500, 3],
  ['https', 3000, 3],
])(
  'the process ends when the report is there: %s, stuck after %d ms',
  async (scheme, wait, code) => {
    const origin = await startOrigin(0);
    onTestFinished(() => origin.close());
    const relay = await startStuckRelay(origin.url.port);
    const url = `${scheme}://127.0.0.1:${relay.port}`;
    const check = wirebin().run(['check', url, '-k', '--timeout', '1', '--rate', '1000']);
    await pause(wait);
    relay.stick();
    // Other lines of standard error say how far the run is.
    const isReported = (): boolean =>
      check.stdout.startsWith('STOPPED: ') || /^wirebin: /m.test(check.stderr);
    await expect.poll(isReported, { interval: 10 }).toBe(true);
    const reported = performance.now();
    expect(await check.exit).toBe(code);
    expect(performance.now() - reported).toBeLessThan(END_TIME);
  },
);
