import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { until } from '../../_adapters.ts';
import * as h2 from '../../_frames.ts';
import { openSocket } from '../../_raw.ts';
import { Reader } from '../../_tap.ts';
import { HTTP2, sharedService } from '../../_shared.ts';

const NO_ERROR = 0;
const CANCEL = 8;
const REFUSED_STREAM = 7;

/** Reads the content to its end. */
const POSTED = '/anything';

const TARGETS = [
  POSTED,
  '/bytes/20',
  '/bytes/100000',
  '/stream-bytes/20',
  '/drip?numbytes=20&duration=2',
  '/range/20?duration=2&chunk_size=1',
  '/trailers?a=b',
];

function received(client: h2.FrameClient): number {
  return Buffer.concat(client.got(h2.DATA, 1).map(({ payload }) => payload)).length;
}

describe.each(HTTP2)('`complete` in the tap, %s', (_, alpn) => {
  const running = sharedService('--tap', { sweepInterval: 20 });
  let reader: Reader;
  beforeAll(async () => {
    reader = await Reader.open('http/1.1', running().port, '?kind=request');
  });
  afterAll(() => void reader.socket.destroy());

  /** The last event once the stream is closed. */
  async function outcome(
    window: number,
    target: string,
    act: (client: h2.FrameClient) => Promise<void>,
  ): Promise<Record<string, unknown> | undefined> {
    const client = new h2.FrameClient(
      await openSocket(running().port, alpn),
      h2.openingWith(window),
    );
    const before = reader.events.length;
    if (target.startsWith(POSTED)) {
      client.send(h2.post(1, target), h2.frame(h2.DATA, h2.END_STREAM, 1, Buffer.from('a')));
    } else client.send(h2.get(1, target));
    await act(client);
    await until(() => reader.events.length > before);
    client.socket.destroy();
    return reader.events[before]?.data;
  }

  describe.each([NO_ERROR, REFUSED_STREAM, CANCEL])('a reset by %i', (code) => {
    const reset = h2.frame(h2.RST_STREAM, 0, 1, h2.uint32(code));
    // Node does not tell it from the end of the response.
    const targets = TARGETS.filter((target) => target !== POSTED || code !== NO_ERROR);

    test.each(targets)('before the first byte: %s', async (target) => {
      const event = await outcome(0, target, async (client) => {
        await until(() => client.got(h2.HEADERS, 1).length > 0);
        client.send(reset);
      });
      expect(event).toMatchObject({ status: 200, complete: false });
    });

    test.each(targets)('after three bytes: %s', async (target) => {
      const event = await outcome(3, target, async (client) => {
        await until(() => received(client) === 3);
        client.send(reset);
      });
      expect(event).toMatchObject({ status: 200, complete: false });
    });
  });

  test.each([...TARGETS, `${POSTED}?${'x'.repeat(10_000)}`, '/status/204'])(
    'the whole response: %s',
    async (target) => {
      const short = target.replace('duration=2', 'duration=0.1');
      const event = await outcome(65_535, short, async (client) => {
        client.send(h2.frame(h2.WINDOW_UPDATE, 0, 1, h2.uint32(65_535)));
        client.send(h2.frame(h2.WINDOW_UPDATE, 0, 0, h2.uint32(65_535)));
        await until(() => client.isDone(1));
      });
      expect(event).toMatchObject({ complete: true });
      expect(event).not.toHaveProperty('error_code');
    },
  );
});
