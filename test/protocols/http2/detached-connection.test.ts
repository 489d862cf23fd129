import { expect, onTestFinished, test, vi } from 'vitest';
import { TcpConnection } from '../../../src/net/tcp-connection.ts';
import { DetachedConnection } from '../../../src/protocols/http2/detached-connection.ts';
import { FloodLimits } from '../../../src/protocols/http2-shared/flood-limits.ts';
import { until } from '../../_adapters.ts';
import { socketPair } from '../../net/_sockets.ts';

const MEBIBYTE = Buffer.alloc(1024 * 1024);

function* endless(): Generator<Buffer> {
  for (;;) yield MEBIBYTE;
}

function* failing(): Generator<Buffer> {
  yield MEBIBYTE;
  throw new TypeError('the next piece');
}

async function detached() {
  const [client, socket] = await socketPair();
  onTestFinished(() => {
    client.destroy();
    socket.destroy();
  });
  const limits = new FloodLimits({ maxResets: 1, maxControlFrames: 1 });
  // Milliseconds that a look at it takes.
  const clock = { now: performance.now(), step: 0 };
  const spy = vi.spyOn(performance, 'now').mockImplementation(() => (clock.now += clock.step));
  onTestFinished(() => spy.mockRestore());
  return {
    clock,
    client,
    socket,
    connection: new DetachedConnection(new TcpConnection(socket), limits, 16_384),
  };
}

test('sends as fast as the client reads', async () => {
  const { client, connection } = await detached();
  let received = 0;
  client.on('data', ({ length }: Buffer) => (received += length));
  expect(await connection.send(Array.from({ length: 8 }, () => MEBIBYTE))).toBe(true);
  await until(() => received === 8 * MEBIBYTE.length);
});

test('is reset once a client has read nothing for a second', async () => {
  const { clock, socket, connection } = await detached();
  clock.step = 400;
  expect(await connection.send(endless())).toBe(false);
  expect(socket.destroyed).toBe(true);
});

test('is reset if what it sends cannot be made, and the error is told', async () => {
  const { client, socket, connection } = await detached();
  client.on('error', () => undefined).resume();
  await expect(connection.send(failing())).rejects.toThrow('the next piece');
  expect(socket.destroyed).toBe(true);
});
