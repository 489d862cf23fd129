import { once } from 'node:events';
import { test } from 'vitest';
import { openClient } from '../_client.ts';
import { exchange, GET, LAST, openSocket } from '../_raw.ts';
import { besieged } from './_siege.ts';

const siege = besieged(['--journal-memory=4', '--journal-keys=500', '--max-duration=5']);

const CONNECTIONS = 4;
/** Requests of a connection, and those of them that are sent together. */
const REQUESTS = 5000;
const PIPELINED = 20;

/** Sends requests of all numbers, and reads their responses. */
async function flood(request: (at: number) => string): Promise<void> {
  await Promise.all(
    Array.from({ length: CONNECTIONS }, async (_, nth) => {
      const socket = await openSocket(siege.port);
      for (let at = 0; at < REQUESTS; at += PIPELINED) {
        const numbers = Array.from({ length: PIPELINED }, (__, other) => at + other);
        socket.write(numbers.map((number) => request(CONNECTIONS * number + nth)).join(''));
        for (let received = 0; received < PIPELINED;) {
          const [piece] = (await once(socket, 'data')) as [Buffer];
          received += piece.toString('latin1').split('HTTP/1.1 ').length - 1;
        }
      }
      socket.destroy();
    }),
  );
}

const LONG = `X-Long: ${'a'.repeat(4000)}\r\n`;

test('many keys with long fields', async () => {
  await siege.withstand('keys', () =>
    flood((at) => GET('/healthz', `X-Wirebin-Journal: k${at}\r\n${at % 10 === 0 ? LONG : ''}`)),
  );
});

test('many requests of one key', async () => {
  await siege.withstand('one key', () => flood(() => GET('/healthz', 'X-Wirebin-Journal: k\r\n')));
});

test('many keys of /retry', async () => {
  await siege.withstand('retry', () => flood((at) => GET(`/retry/k${at}?fail=0`)));
});

test('waits that are abandoned', async () => {
  await siege.withstand('waits', async () => {
    for (let round = 0; round < 20; round++) {
      const clients = Array.from({ length: 100 }, (_, at) =>
        openClient(at % 2 === 0 ? 'h2c' : 'http/1.1', siege.port),
      );
      for (const client of clients) {
        client.request('/journal/never?wait=1&timeout=5').catch(() => undefined);
      }
      await exchange(siege.port, GET('/healthz', LAST));
      for (const client of clients) client.leave();
    }
  });
});
