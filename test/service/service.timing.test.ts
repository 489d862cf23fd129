import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { until } from '../_adapters.ts';
import { openClient, transports } from '../_client.ts';
import * as h2 from '../_frames.ts';
import { converse, exchange, GET, openSocket, statusesOf } from '../_raw.ts';
import { startService } from '../_service.ts';

const QUICK = { sweepInterval: 20, lingerTime: 100 };
const hasOrigin = (text: string): boolean => text.includes('"origin"');
const REQUEST_AT = /"path":"(\/anything\/[^"]+)"/;

test.concurrent('not ready first, then no new connections', async () => {
  const { service, port } = await startService('--drain-delay=300ms', QUICK);
  expect(statusesOf(await exchange(port, GET('/readyz', 'Connection: close\r\n')))).toEqual([200]);
  const drained = service.drain();
  const readyz = await exchange(port, GET('/readyz', 'Connection: close\r\n'));
  expect(statusesOf(readyz)).toEqual([503]);
  expect(statusesOf(await exchange(port, GET('/ip', 'Connection: close\r\n')))).toEqual([200]);
  expect(await drained).toBe(0);
  await expect(openSocket(port)).rejects.toThrow('ECONNREFUSED');
});

test.concurrent.each(transports)('%s: a request that is open is finished', async (transport) => {
  const { service, port } = await startService(QUICK);
  const client = openClient(transport, port);
  await client.request('/ip');
  const answer = client.request('/delay/0.5');
  await pause(100);
  const start = performance.now();
  const drained = service.drain();
  const { status, headers } = await answer;
  expect(status).toBe(200);
  if (transport.endsWith('1.1')) expect(headers['connection']).toBe('close');
  expect(await drained).toBe(0);
  expect(performance.now() - start).toBeLessThan(2000);
  client.close();
});

test.concurrent.each([
  ['in clear', undefined],
  ['over TLS', ['http/1.1']],
])('HTTP/1.1 %s: an idle connection answers one more request, or is closed', async (_, alpn) => {
  const { service, port } = await startService(QUICK);
  const [used, unused] = [await openSocket(port, alpn), await openSocket(port, alpn)];
  for (const socket of [used, unused]) {
    await converse(socket, GET('/ip'), hasOrigin);
    socket.on('end', () => socket.end());
  }
  const start = performance.now();
  const drained = service.drain();
  await pause(50);
  const last = await converse(used, GET('/ip'), hasOrigin);
  expect(last).toMatch(/^HTTP\/1\.1 200 [\s\S]*^Connection: close$/im);
  expect(await drained).toBe(0);
  expect(performance.now() - start).toBeGreaterThan(900);
  expect(performance.now() - start).toBeLessThan(2500);
});

test.concurrent('pipelined requests that were accepted are all answered, the last with close', async () => {
  const { service, port } = await startService(QUICK);
  const socket = await openSocket(port);
  const answers = converse(socket, GET('/delay/0.2') + GET('/ip') + GET('/delay/0.4'));
  await pause(100);
  const drained = service.drain();
  await pause(50);
  socket.write(GET('/ip'));
  const received = await answers;
  socket.end();
  expect(statusesOf(received)).toEqual([200, 200, 200]);
  expect(received.match(/^Connection: close$/gim)).toHaveLength(1);
  expect(received.indexOf('Connection: close')).toBeGreaterThan(received.indexOf('"origin"'));
  expect(await drained).toBe(0);
});

test.concurrent('handshakes that were under way are finished, silent ones do not hold up the stop', async () => {
  const { service, port } = await startService(QUICK);
  const silent = [await openSocket(port), await openSocket(port)];
  silent[1]?.write('\x16\x03\x01');
  const [late, quiet] = [
    new h2.FrameClient(await openSocket(port, ['h2'])),
    new h2.FrameClient(await openSocket(port, ['h2'])),
  ];
  const early = await openSocket(port, ['http/1.1']);
  const start = performance.now();
  const drained = service.drain();
  const answer = await converse(early, GET('/ip'));
  expect(statusesOf(answer)).toEqual([200]);
  await until(() => late.goaway() === 0 && quiet.goaway() === 0);
  for (const { socket } of [late, quiet]) socket.end();
  expect(await drained).toBe(0);
  expect(performance.now() - start).toBeLessThan(5000);
  for (const socket of silent) socket.destroy();
});

test.concurrent('what is not finished in time is cut and counted', async () => {
  const { service, port } = await startService('--drain-timeout', '1', QUICK);
  const clients = transports.map((transport) => openClient(transport, port));
  const answers = clients.map((client) => client.request('/delay/30').catch(() => 'cut'));
  await pause(300);
  const start = performance.now();
  expect(await service.drain()).toBe(4);
  expect(performance.now() - start).toBeLessThan(1500);
  expect(await Promise.all(answers)).toEqual(['cut', 'cut', 'cut', 'cut']);
  for (const client of clients) client.close();
});

test.concurrent('closing twice, and draining what is closed, is fine', async () => {
  const { service } = await startService(QUICK);
  service.close();
  service.close();
  expect(await service.drain()).toBe(0);
});

test('under load on all transports a drain loses no request that was accepted', async () => {
  const { service, port, logged } = await startService('--log-requests', QUICK);
  const answered = new Set<string>();
  let count = 0;
  const loop = async (transport: (typeof transports)[number]): Promise<void> => {
    const client = openClient(transport, port);
    for (;;) {
      const path = `/anything/${transport.replace('/', '-')}-${count++}`;
      const received = await client.request(path).catch(() => undefined);
      if (received?.status !== 200) break;
      answered.add(path);
    }
    client.close();
  };
  const holders = transports.flatMap((transport) =>
    Array.from({ length: transport.startsWith('h2') ? 1 : 100 }, () => ({
      client: openClient(transport, port),
      requests: transport.startsWith('h2') ? 100 : 1,
    })),
  );
  // A connection that has asked nothing yet may be cut, and on a busy machine opening them takes long.
  await Promise.all(holders.map(async ({ client }) => client.request('/ip')));
  const held = holders.flatMap(({ client, requests }) =>
    Array.from({ length: requests }, async () => client.request('/delay/1')),
  );
  const loops = transports.flatMap((transport) => [1, 2, 3, 4, 5].map(async () => loop(transport)));
  await pause(700);
  const start = performance.now();
  expect(await service.drain()).toBe(0);
  expect(performance.now() - start).toBeLessThan(5000);
  await Promise.all(loops);
  const statuses = (await Promise.all(held)).map(({ status }) => status);
  expect(statuses).toEqual(Array.from({ length: 400 }, () => 200));
  const accepted = logged.flatMap((line) => REQUEST_AT.exec(JSON.stringify(line))?.[1] ?? []);
  expect(accepted.length).toBeGreaterThan(20);
  expect(accepted.filter((path) => !answered.has(path))).toEqual([]);
});
