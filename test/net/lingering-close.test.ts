import { createServer } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { until } from '../_adapters.ts';
import { closeLingering, closeTruncated } from '../../src/net/lingering-close.ts';
import { parseInJavaScript } from '../../src/net/node-internals.ts';

const REQUEST = 'GET / HTTP/1.1\r\nHost: x\r\n\r\n';
/** More than the system buffers. */
const LARGE = Buffer.alloc(20_000_000);

test.each([
  ['closeLingering', (socket: Socket) => closeLingering(socket)],
  ['closeTruncated', (socket: Socket) => closeTruncated(socket, socket)],
])('%s reads nothing while Node waits for the client to read', async (_name, close) => {
  let accepted: Socket | undefined;
  let requests = 0;
  const server = createServer((_request, response) => {
    requests++;
    response.end(LARGE);
  });
  server.on('connection', (socket: Socket) => {
    accepted = socket;
    parseInJavaScript(socket, () => undefined);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1').pause();
  onTestFinished(() => {
    client.destroy();
    accepted?.destroy();
    server.close();
  });
  client.write(REQUEST.repeat(2));
  await until(() => requests === 2);
  // Node looks at what waits to be sent when the next one arrives.
  client.write(REQUEST);
  await until(() => accepted?.isPaused() === true);
  // As a TLS socket has it, which was sent more than one record.
  accepted?.unshift(Buffer.from(REQUEST));
  // What Node asserts would be an uncaught exception.
  if (accepted) close(accepted);
  await pause(50);
  expect(requests).toBe(3);
});
