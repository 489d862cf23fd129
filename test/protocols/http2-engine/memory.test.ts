import { expect, onTestFinished, test } from 'vitest';
import { faults } from '../../../src/endpoints/fault.ts';
import { startAdapters, unchanged, until } from '../../_adapters.ts';
import * as h2 from '../../_frames.ts';
import { bytesInUse } from '../../_garbage.ts';
import { INSPECTED } from '../../_inspected.ts';
import { openSocket } from '../../_raw.ts';
import { large } from '../_large-head.ts';

const MB = 1_000_000;

test('a connection keeps no memory of a large response that was sent', async () => {
  const { port, listener } = await startAdapters({}, [large], [], 'wirebin');
  const before = bytesInUse();
  for (let count = 0; count < 20; count++) {
    const socket = await openSocket(port);
    onTestFinished(() => void socket.destroy());
    socket
      .resume()
      .write(Buffer.concat([h2.OPENING, h2.get(1, '/large'), h2.get(3, '/zeros/60000')]));
    await until(() => socket.bytesRead > 800_000);
  }
  expect(listener.connections).toHaveLength(20);
  expect(bytesInUse() - before).toBeLessThan(5 * MB);
});

test('a connection keeps no memory of a large request', async () => {
  const { port, listener } = await startAdapters({}, [], [], 'wirebin');
  const fields = Array.from({ length: 1600 }, (_, at): [string, string] => [`x-${at}`, '']);
  // Literals that are not indexed leave the dynamic table as it was.
  const request = Buffer.concat([h2.OPENING, h2.get(1, '/healthz', ...fields)]);
  const before = bytesInUse();
  for (let count = 0; count < 30; count++) {
    const socket = await openSocket(port);
    onTestFinished(() => void socket.destroy());
    const client = new h2.FrameClient(socket, request);
    await until(() => client.isDone(1));
  }
  expect(listener.connections).toHaveLength(30);
  // An inspected connection keeps what it has received.
  expect(bytesInUse() - before).toBeLessThan((INSPECTED ? 10 : 3) * MB);
});

test('content that waits to be read takes no more memory in small frames', async () => {
  const adapters = await startAdapters({}, faults(60), [], 'wirebin');
  const before = bytesInUse();
  const socket = await openSocket(adapters.port);
  onTestFinished(() => void socket.destroy());
  const request = h2.post(1, '/fault/no-read?for=60&scope=stream');
  socket.resume().write(Buffer.concat([h2.OPENING, request]));
  await until(() => adapters.outcomes.length === 1);
  const [connection] = adapters.listener.connections;
  const frame = h2.frame(h2.DATA, 0, 1, Buffer.of(1));
  const frames = Buffer.concat(Array.from({ length: 65_000 }, () => frame));
  socket.write(frames);
  await until(() => (connection?.socket.bytesRead ?? 0) > frames.length);
  await unchanged(() => connection?.socket.bytesRead ?? 0);
  expect(bytesInUse() - before).toBeLessThan(frames.length + 2 * MB);
});
