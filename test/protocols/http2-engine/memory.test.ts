import { expect, onTestFinished, test } from 'vitest';
import { endpoint } from '../../../src/server/endpoint.ts';
import { startAdapters, until } from '../../_adapters.ts';
import * as h2 from '../../_frames.ts';
import { collectGarbage } from '../../_garbage.ts';
import { openSocket } from '../../_raw.ts';

const MB = 1_000_000;

/** A header section of about 1 MB. */
const large = endpoint({
  methods: 'any',
  group: 'content',
  summary: '',
  params: {},
  responses: {},
  id: 'large',
  path: '/large',
  handle: () => ({
    status: 200,
    fields: Array.from({ length: 20 }, () => ['X-Large', 'x'.repeat(50_000)]).flat(),
    payload: '',
  }),
});

/** Bytes in use. */
function held(): number {
  collectGarbage();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}

test('a connection keeps no memory of a large response that was sent', async () => {
  const { port, listener } = await startAdapters({}, [large], [], 'wirebin');
  const before = held();
  for (let count = 0; count < 20; count++) {
    const socket = await openSocket(port);
    onTestFinished(() => void socket.destroy());
    socket
      .resume()
      .write(Buffer.concat([h2.OPENING, h2.get(1, '/large'), h2.get(3, '/zeros/60000')]));
    await until(() => socket.bytesRead > 800_000);
  }
  expect(listener.connections).toHaveLength(20);
  expect(held() - before).toBeLessThan(5 * MB);
});
