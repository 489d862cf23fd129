import { once } from 'node:events';
import type { ServerHttp2Session } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { connectHttp2, createHttp2Server } from '../../../src/net/http2-sessions.ts';
import { NodeControl } from '../../../src/protocols/http2/node-control.ts';

test('nothing acknowledges what a session that has ended cannot send', async () => {
  const server = createHttp2Server().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const client = connectHttp2(`http://127.0.0.1:${port}`);
  client.on('error', () => undefined);
  const [session] = (await once(server, 'session')) as [ServerHttp2Session];
  const frames = new NodeControl(session, { maxStreams: 1, initialWindowSize: 65_535 });
  session.destroy();
  frames.end();
  expect(await frames.sendSettings(new Map(), 60_000)).toBeUndefined();
  expect(await frames.ping(60_000)).toBeUndefined();
  expect(frames.acknowledgedSettings).toBeUndefined();
  client.destroy();
  server.close();
});
