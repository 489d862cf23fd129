import { createServer } from 'node:net';
import { expect, test } from 'vitest';
import { listen } from '../../src/net/listen.ts';

test.each([
  ['EADDRINUSE', 'port 80 is in use at 192.0.2.1'],
  ['EACCES', 'no permission to listen on port 80 at 192.0.2.1'],
  ['EADDRNOTAVAIL', '192.0.2.1 is not an address of this machine'],
  ['ENOTFOUND', '192.0.2.1 is not an address of this machine'],
  ['EAI_AGAIN', '192.0.2.1 is not an address of this machine'],
  ['EMFILE', 'cannot listen on port 80 at 192.0.2.1: why'],
])('%s: %s', async (code, message) => {
  const server = createServer();
  server.listen = () => {
    server.emit('error', Object.assign(new Error('why'), { code }));
    return server;
  };
  const listening = listen(server, 80, '192.0.2.1', () => undefined);
  await expect(listening).rejects.toThrow(message);
});
