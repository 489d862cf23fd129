import { expect, test } from 'vitest';
import { until } from '../../_adapters.ts';
import { converse, openSocket, POST, statusesOf } from '../../_raw.ts';
import { HTTP1, sharedService } from '../../_shared.ts';

const running = sharedService();
/** Reads no content for a while. */
const delaying = sharedService('--chaos', 'delay=0.1:100%');

const UPGRADE = 'Connection: Upgrade\r\nUpgrade: websocket\r\n';
const LENGTH = 'Content-Length: 100\r\n';

test.each(HTTP1)('%s: FIN before the end of the content ends the request', async (_, alpn) => {
  for (const path of ['/upload', '/anything', '/expect', '/fault/no-read?for=0']) {
    for (const fields of ['', UPGRADE]) {
      const socket = await openSocket(running().port, alpn);
      const response = converse(socket, POST(path, `${fields}${LENGTH}`, '0123456789'));
      socket.end();
      expect([path, statusesOf(await response).at(-1)]).toEqual([path, 400]);
    }
  }
});

test.each(HTTP1)(
  '%s: a malformed chunk that came before the content is read ends the request',
  async (_, alpn) => {
    for (const path of ['/fault/no-read?for=0', '/fault/no-read?after=1&for=0', '/upload']) {
      const socket = await openSocket(delaying().port, alpn);
      const request = POST(path, 'Transfer-Encoding: chunked\r\n', '-1\r\n');
      expect([path, statusesOf(await converse(socket, request))]).toEqual([path, [400]]);
    }
  },
);

function timers(): number {
  return process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length;
}

test.each(HTTP1)('%s: a pause beside the reading of content ends with it', async (_, alpn) => {
  const before = timers();
  for (const path of ['/fault/no-read?for=60', '/expect?delay=60']) {
    const socket = await openSocket(running().port, alpn);
    const request = POST(path, 'Transfer-Encoding: chunked\r\n', '1\r\na\r\n-1\r\n');
    expect([path, statusesOf(await converse(socket, request)).at(-1)]).toEqual([path, 400]);
  }
  await until(() => timers() <= before);
});
