import { expect, test } from 'vitest';
import { endpoint } from '../../../src/server/endpoint.ts';
import { empty, text } from '../../../src/server/reply.ts';
import type { UpgradeChannel } from '../../../src/server/upgrade.ts';
import { startAdapters, until } from '../../_adapters.ts';
import * as h2 from '../../_frames.ts';
import { openSocket } from '../../_raw.ts';

const rest = { group: 'content', summary: '', responses: {} } as const;
/** Milliseconds. */
const REQUEST_TIMEOUT = 200;

test.each([
  ['before the pause', 5],
  ['after it', 0],
])('no-read, content that is late %s: 408', async (_, after) => {
  const noRead = endpoint({
    ...rest,
    path: '/no-read',
    methods: ['POST'],
    handle: () => ({
      ...text('x'),
      fault: { kind: 'no-read', after, seconds: 0.3, scope: 'stream' },
    }),
  });
  const adapters = await startAdapters({ requestTimeout: REQUEST_TIMEOUT }, [noRead]);
  const client = new h2.FrameClient(await openSocket(adapters.port));
  client.send(h2.post(1, '/no-read'), h2.frame(h2.DATA, 0, 1, Buffer.from('abc')));
  await until(() => client.isDone(1));
  expect(JSON.parse(client.content(1))).toMatchObject({ status: 408 });
  client.socket.destroy();
});

test('another protocol that has ended in order is not late, even if its client stays', async () => {
  const terminated: string[] = [];
  const ends = endpoint({
    ...rest,
    path: '/ends',
    methods: ['GET'],
    upgrade: 'websocket',
    handle: () => ({
      ...empty(200),
      upgrade: {
        begin(channel: UpgradeChannel) {
          channel.on('data', () => undefined);
          channel.end(Buffer.from('end'));
          return { drain: () => undefined };
        },
      },
    }),
  });
  const adapters = await startAdapters(
    { requestTimeout: REQUEST_TIMEOUT, enableConnectProtocol: true },
    [ends],
    [{ terminated: (reason) => void terminated.push(reason) }],
  );
  const client = new h2.FrameClient(await openSocket(adapters.port));
  const section = h2.fieldBlock([
    [':method', 'CONNECT'],
    [':protocol', 'websocket'],
    [':scheme', 'http'],
    [':authority', 'x'],
    [':path', '/ends'],
    ['sec-websocket-version', '13'],
  ]);
  client.send(h2.frame(h2.HEADERS, h2.END_HEADERS, 1, section));
  await until(() => client.isDone(1));
  await until(() => client.reset(1) !== undefined);
  expect([client.reset(1), terminated]).toEqual([0, []]);
  client.socket.destroy();
});
