import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { expect, test } from 'vitest';
import { checks } from '../../../src/check/catalogue/all.ts';
import { bench } from '../_run.ts';

const started = bench();

/** A target that does with each connection what it is told. */
async function listening(serve: (socket: Socket) => void) {
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    serve(socket);
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  return { url: new URL(`http://127.0.0.1:${port}`), close: async () => void server.close() };
}

test.each([
  ['origin/garbage', 'no response\n'],
  ['origin/no-status', 'HTTP/1.1\r\nContent-Type: text/plain\r\n'],
])('%s: forwarding %j is a finding, even if nothing follows', async (id, bytes) => {
  const gateway = await started().gateway({ scheme: 'http' });
  const { facts } = await started().run(gateway, []);
  const proxy = await listening((socket) => void socket.resume().write(bytes));
  const chosen = checks.filter((check) => check.id === id);
  const known = { ...facts, fronts: ['http/1.1'] as const };
  const { results } = await started().run(proxy, chosen, known, 500);
  expect(results.map(({ outcome, found }) => [outcome, found])).toEqual([
    ['fail', 'the malformed response'],
  ]);
});

test('a fault that the client is not told of in time is no pass', async () => {
  const gateway = await started().gateway({ scheme: 'http' });
  const { facts } = await started().run(gateway, []);
  const behind = await started().gateway({ scheme: 'http' });
  const silent = await listening((socket) => {
    const onward = connect(Number(behind.url.port), '127.0.0.1');
    onward.on('error', () => undefined);
    socket.pipe(onward).pipe(socket, { end: false });
    socket.once('close', () => onward.destroy());
  });
  const chosen = checks.filter(({ id }) => id === 'truncation/content-length');
  const known = { ...facts, fronts: ['http/1.1'] as const };
  const { results } = await started().run(silent, chosen, known, 500);
  await behind.close();
  expect(results.map(({ outcome, reason }) => [outcome, reason])).toEqual([
    ['not-applicable', 'neither the end of the response nor an error in time'],
  ]);
});
