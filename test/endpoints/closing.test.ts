import { allowedMethods } from '../../src/server/endpoint.ts';
import { STATUS_CODES } from 'node:http';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openClient, type Client } from '../_client.ts';
import { converse, openSocket } from '../_raw.ts';
import { startService, type Running } from '../_service.ts';
import { endpoints, quickTarget } from '../_walk.ts';
import { everyNth } from '../_whole.ts';

let running: Running;
let client: Client;
beforeAll(async () => {
  const enabled = [
    '--tap',
    '--inspect',
    '--metrics-enabled',
    '--hostname-enabled',
    '--env-prefix',
    'SHOWN_',
  ];
  running = await startService(...enabled);
  client = openClient('http/1.1', running.port);
});
afterAll(() => {
  client.close();
  running.service.close();
  expect(running.logged.filter(({ level }) => level !== 30 && level !== 40)).toEqual([]);
});

/** The header section of the response. */
async function answered(message: string): Promise<string> {
  const socket = await openSocket(running.port);
  const received = await converse(socket, `${message}\r\nHost: x\r\n\r\n`, (text) =>
    text.includes('\r\n\r\n'),
  );
  socket.destroy();
  return received;
}

// Closing responses are sent by another code path, and HTTP/1.0 has neither chunks nor trailers.
const VERSIONS = [
  'HTTP/1.0',
  'HTTP/1.0\r\nConnection: keep-alive',
  'HTTP/1.1\r\nConnection: close',
  'HTTP/1.1\r\nConnection: Upgrade, close\r\nUpgrade: h2c',
];

/** Each in the short form with one of the versions, in turn. */
const closing = endpoints
  .filter(({ group }) => group !== 'faults')
  .flatMap((declaration) =>
    allowedMethods(declaration.methods).map(
      (method) => [method, quickTarget(declaration)] as const,
    ),
  )
  .map(
    ([method, target], at) =>
      [method, target, everyNth(VERSIONS.length, VERSIONS, at % VERSIONS.length)] as const,
  );

test.each(closing)('%s %s has the same status if the connection closes', async (...row) => {
  const [method, target, versions] = row;
  const { status } = await client.request(target, { method });
  for (const version of versions) {
    const request = `${method} ${target} ${version}`;
    const [line] = (await answered(request)).split('\r\n', 1);
    expect([request, line]).toEqual([request, `HTTP/1.1 ${status} ${STATUS_CODES[status]}`]);
  }
});

/** The names of trailer fields in the response's Trailer field. */
async function announced(message: string): Promise<string | undefined> {
  return /^Trailer: (.*)\r$/m.exec(await answered(message))?.[1];
}

test('HEAD announces the trailer fields of GET, and HTTP/1.0 has none', async () => {
  const closing = 'HTTP/1.1\r\nConnection: close';
  expect(await announced(`GET /trailers?a=b ${closing}`)).toBe('a');
  expect(await announced(`HEAD /trailers?a=b ${closing}`)).toBe('a');
  expect(await announced('GET /trailers?a=b HTTP/1.0')).toBeUndefined();
  expect(await announced('HEAD /trailers?a=b HTTP/1.0')).toBeUndefined();
});
