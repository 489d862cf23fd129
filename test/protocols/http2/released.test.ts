import { expect, test } from 'vitest';
import { sharedAdapters, until } from '../../_adapters.ts';
import * as h2 from '../../_frames.ts';
import { INSPECTED } from '../../_inspected.ts';
import { openSocket } from '../../_raw.ts';
import { collectGarbage } from '../../_garbage.ts';

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
