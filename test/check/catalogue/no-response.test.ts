import { createServer, type AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { checks } from '../../../src/check/catalogue/all.ts';
import { bench } from '../_run.ts';

const started = bench();

test('forwarding bytes that are not a response is a finding, even if nothing follows', async () => {
  const gateway = await started().gateway({ scheme: 'http' });
  const { facts } = await started().run(gateway, []);
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.resume().write('no response\n');
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  const proxy = {
    url: new URL(`http://127.0.0.1:${port}`),
    close: async () => void server.close(),
  };
  const chosen = checks.filter(({ id }) => id === 'origin/garbage');
  const known = { ...facts, fronts: ['http/1.1'] as const };
  const { results } = await started().run(proxy, chosen, known, 500);
  expect(results.map(({ outcome, found }) => [outcome, found])).toEqual([
    ['fail', 'the malformed response'],
  ]);
});
