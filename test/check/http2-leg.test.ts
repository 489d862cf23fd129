import { createServer } from 'node:net';
import { expect, test } from 'vitest';
import { converse, GET, LAST, openSocket, statusesOf } from '../_raw.ts';
import { listening } from './_gateway-server.ts';
import { startHttp2Leg, type LegDeviation } from './_http2-leg.ts';

// An error of the connection that nothing listens for would be an uncaught exception, which fails the run.
test.each<[name: string, deviation: LegDeviation]>([
  ['does nothing wrong', {}],
  ['rewrites frames', { frames: {} }],
  ['stops reading', { holdsAbove: 1 }],
])('a leg that %s responds with 502 if the origin is gone', async (_name, deviation) => {
  const origin = await listening(createServer(), 'http');
  await origin.close();
  const leg = await startHttp2Leg(Number(origin.url.port), deviation);
  const socket = await openSocket(Number(leg.url.port));
  expect(statusesOf(await converse(socket, GET('/', LAST)))).toEqual([502]);
  await leg.close();
});
