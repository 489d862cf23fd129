import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { linger } from '../../src/wire/linger.ts';

const server = createServer({ allowHalfOpen: true });
let client: Socket;
let accepted: Socket;

beforeEach(async () => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  client = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
  [accepted] = (await once(server, 'connection')) as [Socket];
});
afterEach(() => {
  client.destroy();
  accepted.destroy();
  server.close();
});

test('what was written arrives though the client is still sending (RFC 9112 9.6)', async () => {
  const errors: unknown[] = [];
  client.on('error', (error) => errors.push(error));
  client.write(Buffer.alloc(1024 * 1024));
  accepted.write('the answer');
  linger(accepted);
  const [answer] = (await once(client, 'data')) as [Buffer];
  await once(client, 'end');
  client.write(Buffer.alloc(1024 * 1024));
  client.end();
  await once(accepted, 'close');
  expect(answer.toString()).toBe('the answer');
  expect(errors).toEqual([]);
});

test('a client that never closes its side is cut after two seconds', async () => {
  const start = performance.now();
  linger(accepted);
  await once(accepted, 'close');
  expect(performance.now() - start).toBeGreaterThan(1950);
  expect(performance.now() - start).toBeLessThan(2500);
});

test('a large answer that is taken slowly is not cut, nor a client that is still sending', async () => {
  const size = 8 * 1024 * 1024;
  let received = 0;
  client.on('data', (chunk: Buffer) => {
    received += chunk.length;
    client.pause();
    setTimeout(() => client.resume(), 20);
  });
  accepted.write(Buffer.alloc(size));
  linger(accepted);
  await once(client, 'end');
  expect(received).toBe(size);
  const start = performance.now();
  const sending = setInterval(() => client.write('a'), 100);
  await new Promise((resolve) => {
    setTimeout(resolve, 2500);
  });
  expect(accepted.destroyed).toBe(false);
  clearInterval(sending);
  await once(accepted, 'close');
  expect(performance.now() - start).toBeLessThan(7000);
});

test('twice is once, and after the end nothing', async () => {
  linger(accepted);
  linger(accepted);
  expect(accepted.listenerCount('close')).toBeLessThanOrEqual(2);
  client.end();
  await once(accepted, 'close');
  linger(accepted);
  expect(accepted.destroyed).toBe(true);
});
