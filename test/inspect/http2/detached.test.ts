import { expect, test } from 'vitest';
import { until } from '../../_adapters.ts';
import * as h2 from '../../_frames.ts';
import { openSocket } from '../../_raw.ts';
import { sharedService } from '../../_shared.ts';

const running = sharedService('--inspect');

test('a fault that ends the session is sent on an inspected connection', async () => {
  const client = new h2.FrameClient(await openSocket(running().port));
  client.send(h2.get(1, '/fault/garbage?frame=data-on-stream-0'));
  await until(() => client.got(h2.HEADERS).length === 1);
  expect(client.got(h2.DATA).map(({ stream }) => stream)).toEqual([0]);
  client.socket.destroy();
});
