import { afterAll, beforeAll, expect, test } from 'vitest';
import { converse, openSocket, POST, statusesOf } from '../../_raw.ts';
import { startService, type Running } from '../../_service.ts';

let running: Running;
beforeAll(async () => {
  running = await startService();
});
afterAll(() => running.service.close());

const UPGRADE = 'Connection: Upgrade\r\nUpgrade: websocket\r\n';
const LENGTH = 'Content-Length: 100\r\n';

test.each([
  ['in cleartext', undefined],
  ['over TLS', ['http/1.1']],
])('%s: FIN before the end of the content ends the request', async (_, alpn) => {
  for (const path of ['/upload', '/anything', '/expect', '/fault/no-read?for=0']) {
    for (const fields of ['', UPGRADE]) {
      const socket = await openSocket(running.port, alpn);
      const response = converse(socket, POST(path, `${fields}${LENGTH}`, '0123456789'));
      socket.end();
      expect([path, statusesOf(await response).at(-1)]).toEqual([path, 400]);
    }
  }
});
