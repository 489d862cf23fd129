import { allowedMethods } from '../../src/server/endpoint.ts';
import { reasonPhrases } from '../../src/http/status.ts';
import { afterAll, expect, test } from 'vitest';
import { sharedPlace } from '../_everywhere.ts';
import { converse, openSocket } from '../_raw.ts';
import { endpoints, quickTarget } from '../_walk.ts';
import { everyNth } from '../_whole.ts';

const enabled = ['--tap', '--inspect', '--metrics-enabled', '--hostname-enabled'];
const { client, running } = sharedPlace('http/1.1', ...enabled, '--env-prefix=SHOWN_');
afterAll(() => {
  expect(running().logged.filter(({ level }) => level !== 30 && level !== 40)).toEqual([]);
});

/** The header section of the response. */
async function answered(message: string): Promise<string> {
  const socket = await openSocket(running().port);
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

const cases = endpoints
  .filter(({ group }) => group !== 'faults')
  .map(({ path, methods, ...rest }, at) => {
    const target = quickTarget({ path, methods, ...rest });
    const rows = allowedMethods(methods).flatMap((method) =>
      VERSIONS.map((version) => ({ method, request: `${method} ${target} ${version}` })),
    );
    // In the short form each method in one of the versions: 5 and their number have no common divisor.
    return [path, target, everyNth(5, rows, at % VERSIONS.length)] as const;
  });

test.each(cases)('%s responds the same if the connection closes', async (_, target, rows) => {
  for (const { method, request } of rows) {
    const { status } = await client().request(target, { method });
    const [line] = (await answered(request)).split('\r\n', 1);
    expect([request, line]).toEqual([request, `HTTP/1.1 ${status} ${reasonPhrases[status]}`]);
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
