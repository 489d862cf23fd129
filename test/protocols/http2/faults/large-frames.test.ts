import { expect, test } from 'vitest';
import { until } from '../../../_adapters.ts';
import * as h2 from '../../../_frames.ts';
import { openSocket } from '../../../_raw.ts';
import { sharedService } from '../../../_shared.ts';

const running = sharedService();

test('no frame is too large for a client that accepts the largest', async () => {
  // SETTINGS_MAX_FRAME_SIZE, 2^24 - 1.
  const settings = h2.frame(h2.SETTINGS, 0, 0, Buffer.from('000500ffffff', 'hex'));
  const opening = Buffer.concat([h2.PREFACE, settings]);
  const client = new h2.FrameClient(await openSocket(running().port), opening);
  client.send(h2.get(1, '/fault/garbage?frame=too-large'));
  await until(() => client.isDone(1));
  expect(client.content(1)).toContain('the client accepts frames of 16777215 bytes');
});
