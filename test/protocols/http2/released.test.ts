import { expect, test } from 'vitest';
import type { ExchangeObserver } from '../../../src/server/observer.ts';
import { sharedAdapters, startAdapters, unchanged, until } from '../../_adapters.ts';
import * as h2 from '../../_frames.ts';
import { INSPECTED } from '../../_inspected.ts';
import { openSocket } from '../../_raw.ts';
import { collectGarbage } from '../../_garbage.ts';
import { startInspection } from '../../inspect/_inspection.ts';

const adapters = sharedAdapters();
const CLIENTS = 20;

/** How a client that does not acknowledge SETTINGS ends its session. */
const ENDS: [string, Buffer][] = [
  ['an invalid frame', h2.frame(h2.WINDOW_UPDATE, 0, 0, Buffer.alloc(4))],
  ['half a frame', h2.get(1, '/healthz').subarray(0, 20)],
  [
    'trailers that are not complete',
    Buffer.concat([
      h2.post(1, '/range/1000000'),
      h2.frame(h2.HEADERS, h2.END_STREAM, 1, h2.fieldBlock([['x-trailer', 'value']])),
    ]),
  ],
  ['frames before its first request', h2.frame(h2.PING, 0, 0, Buffer.alloc(8))],
  ['GOAWAY', h2.frame(h2.GOAWAY, 0, 0, Buffer.alloc(8))],
];

// With --inspect, stories of the last connections are kept.
test.skipIf(INSPECTED).each(ENDS)(
  'nothing is kept of a connection that ends with %s',
  async (_, bytes) => {
    const connections: WeakRef<object>[] = [];
    for (let opened = 0; opened < CLIENTS; opened++) {
      const client = new h2.FrameClient(await openSocket(adapters().port));
      await until(() => client.got(h2.SETTINGS).length > 0);
      for (const connection of adapters().listener.connections) {
        connections.push(new WeakRef(connection));
      }
      client.send(bytes);
      client.socket.end();
      await until(() => client.ended && adapters().listener.connections.size === 0);
    }
    expect(connections).toHaveLength(CLIENTS);
    // What was called last may be referred to yet.
    await until(() => {
      collectGarbage();
      return connections.filter((connection) => connection.deref()).length < CLIENTS / 4;
    });
  },
);

test('an inspected session is collected whose client resets the connection while responses wait', async () => {
  const window = 2 ** 30;
  const sessions: WeakRef<object>[] = [];
  const observer: ExchangeObserver = {
    began({ body, requestNumber }) {
      if (requestNumber === 1 && 'session' in body && body.session instanceof Object) {
        sessions.push(new WeakRef(body.session));
      }
    },
  };
  const { port, listener } = await startAdapters({}, [], [startInspection(), observer], 'node');
  for (let opened = 0; opened < 3; opened++) {
    const client = new h2.FrameClient(await openSocket(port), h2.openingWith(window));
    client.socket.pause();
    client.send(h2.frame(h2.WINDOW_UPDATE, 0, 0, h2.uint32(window)));
    client.send(...[1, 3, 5].map((id) => h2.get(id, '/zeros/100000000')));
    await until(() => [...listener.connections].some(({ requests }) => requests.open === 3));
    await unchanged(() => [...listener.connections][0]?.socket.bytesWritten ?? 0);
    client.socket.resetAndDestroy();
    await until(() => listener.connections.size === 0);
  }
  expect(sessions).toHaveLength(3);
  // What was called last may be referred to yet.
  await until(() => {
    collectGarbage();
    return sessions.filter((session) => session.deref()).length < 2;
  });
});
