import { expect, test } from 'vitest';
import { until } from '../_adapters.ts';
import * as h2 from '../_frames.ts';
import { exchange, GET, openSocket, statusesOf } from '../_raw.ts';
import { sharedService } from '../_shared.ts';

const UNKNOWN = ['BREW', 'GETTER', 'get', 'DESCRIBE', 'a-b.c~d', 'X'.repeat(64)];

const running = sharedService();

test.each(UNKNOWN)('HTTP/1.1 echoes %s', async (method) => {
  const request = `${method} /anything HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`;
  const received = await exchange(running().port, GET('/ip') + request);
  expect(statusesOf(received)).toEqual([200, 200]);
  expect(JSON.parse(received.slice(received.lastIndexOf('\r\n\r\n')))).toMatchObject({ method });
});

test.each(UNKNOWN)('HTTP/2 echoes %s', async (method) => {
  const client = new h2.FrameClient(await openSocket(running().port));
  client.send(h2.request(1, method, '/anything'));
  await until(() => client.isDone(1));
  expect(JSON.parse(client.content(1))).toMatchObject({ method });
});
