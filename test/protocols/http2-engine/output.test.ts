import { Socket } from 'node:net';
import { expect, test, vi } from 'vitest';
import { turns } from '../../../src/net/scheduler.ts';
import { Output } from '../../../src/protocols/http2-engine/output.ts';

test('content that goes on in a later turn waits for one turn, however often more is written', async () => {
  const socket = new Socket();
  vi.spyOn(socket, 'write').mockReturnValue(true);
  vi.spyOn(socket, 'writable', 'get').mockReturnValue(true);
  let left = 1000;
  const source = {
    outputLength: 1,
    takeOutput: () => (left-- > 0 ? [Buffer.alloc(10)] : []),
    keepTaken: () => undefined,
    reuseTaken: () => undefined,
  };
  const output = new Output(socket, source, 'pending');
  const run = vi.spyOn(turns, 'run');
  const end = performance.now() + 3;
  while (performance.now() < end) turns.isSpent();
  for (let count = 0; count < 20; count++) output.flush();
  expect(run).toHaveBeenCalledTimes(1);
  await vi.waitFor(() => expect(left).toBeLessThan(0));
});
