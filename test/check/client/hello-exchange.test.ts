import { once } from 'node:events';
import { connect, createServer, type AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { exchangeHello } from '../../../src/check/client/hello-exchange.ts';

/** The alert close_notify as a warning. */
const WARNING = Buffer.from([21, 3, 3, 0, 2, 1, 0]);

test('a target that sends warnings without an end has not answered', async () => {
  const server = createServer((socket) => {
    const flood = (): void => {
      while (socket.writable && socket.write(Buffer.alloc(7000, WARNING)));
    };
    socket.on('error', () => undefined).on('drain', flood);
    flood();
  }).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const reply = await exchangeHello(connect(port, '127.0.0.1'), [Buffer.of(22)], 2000);
  expect(reply).toMatchObject({ version: undefined, alert: undefined });
  expect(reply.transfer.ending).toBe('malformed');
  expect(reply.warnings.length).toBeLessThan(100_000 / WARNING.length);
});
