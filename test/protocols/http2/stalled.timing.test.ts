import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { startAdapters, until } from '../../_adapters.ts';
import { differs } from '../../_engine.ts';
import * as h2 from '../../_frames.ts';
import { openSocket } from '../../_raw.ts';

const WINDOW = 2 ** 30;
/** More than the systems of both sides take of a response. */
const LENGTH = 10_000_000;

const isEach = !differs('A client that reads nothing');
test.runIf(isEach)(
  'each response that the client does not read is ended, and counted, once',
  async () => {
    const terminated: string[] = [];
    const limits = { stallTimeout: 200, sweepInterval: 50, silence: 60_000 };
    const adapters = await startAdapters(
      limits,
      [],
      [{ terminated: (reason) => void terminated.push(reason) }],
    );
    const socket = await openSocket(adapters.port);
    const client = new h2.FrameClient(socket, h2.openingWith(WINDOW));
    socket.pause();
    const grow = h2.frame(h2.WINDOW_UPDATE, 0, 0, h2.uint32(WINDOW));
    client.send(grow, ...[1, 3, 5].map((id) => h2.get(id, `/zeros/${LENGTH}`)));
    await until(() => terminated.length >= 3);
    const start = performance.now();
    // So that the client is not one that has gone.
    while (performance.now() - start < 500) {
      client.send(h2.frame(h2.WINDOW_UPDATE, 0, 1, h2.uint32(1)));
      await pause(50);
    }
    expect(terminated).toEqual(['stalled', 'stalled', 'stalled']);
    socket.destroy();
  },
);
