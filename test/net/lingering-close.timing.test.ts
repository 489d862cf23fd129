import { once } from 'node:events';
import type { Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { closeLingering } from '../../src/net/lingering-close.ts';
import { socketPair } from './_sockets.ts';

let client: Socket;
let accepted: Socket;
beforeEach(async () => {
  [client, accepted] = await socketPair();
});
afterEach(() => {
  client.destroy();
  accepted.destroy();
});

test('pending writes arrive while the client is still sending (RFC 9112 9.6)', async () => {
  const errors: unknown[] = [];
  client.on('error', (error) => errors.push(error));
  client.write(Buffer.alloc(1024 * 1024));
  accepted.write('the answer');
  closeLingering(accepted);
  const [answer] = (await once(client, 'data')) as [Buffer];
  await once(client, 'end');
  client.write(Buffer.alloc(1024 * 1024));
  client.end();
  await once(accepted, 'close');
  expect(answer.toString()).toBe('the answer');
  expect(errors).toEqual([]);
});

test('a client that never closes its side is disconnected after two seconds', async () => {
  const start = performance.now();
  closeLingering(accepted);
  await once(accepted, 'close');
  expect(performance.now() - start).toBeGreaterThan(1950);
  expect(performance.now() - start).toBeLessThan(2500);
});

test('a large response that is read slowly is not truncated', async () => {
  const time = 200;
  const size = 8 * 1024 * 1024;
  let received = 0;
  client.on('data', (chunk: Buffer) => {
    received += chunk.length;
    client.pause();
    setTimeout(() => client.resume(), 10);
  });
  accepted.write(Buffer.alloc(size));
  const start = performance.now();
  closeLingering(accepted, time);
  await once(client, 'end');
  expect(performance.now() - start).toBeGreaterThan(3 * time);
  expect(received).toBe(size);
});

test('a client that keeps sending is not disconnected', async () => {
  const time = 300;
  closeLingering(accepted, time);
  const start = performance.now();
  // Its last bytes may arrive after the close.
  client.on('error', () => undefined);
  const sending = setInterval(() => client.write('a'), time / 20);
  await pause(3 * time);
  expect(accepted.destroyed).toBe(false);
  clearInterval(sending);
  await once(accepted, 'close');
  expect(performance.now() - start).toBeLessThan(5 * time + 2000);
});

test('a second call, or one after the close, does nothing', async () => {
  closeLingering(accepted);
  closeLingering(accepted);
  expect(accepted.listenerCount('close')).toBeLessThanOrEqual(2);
  client.end();
  await once(accepted, 'close');
  closeLingering(accepted);
  expect(accepted.destroyed).toBe(true);
});
