import * as consumers from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import { connectHttp2 } from '../../../../src/net/http2-sessions.ts';
import { until } from '../../../_adapters.ts';
import * as h2 from '../../../_frames.ts';
import { inClearAndOverTls, PING } from './_observed.ts';

/** How much larger the connection's window has become. */
const granted = (client: h2.FrameClient): number =>
  client
    .got(h2.WINDOW_UPDATE)
    .filter(({ stream }) => stream === 0)
    .reduce((sum, { payload }) => sum + payload.readUInt32BE(), 0);
const content = (id: number, length: number): Buffer =>
  h2.frame(h2.DATA, h2.END_STREAM, id, Buffer.alloc(length));

const briefly = (id: number): Buffer =>
  h2.post(id, '/fault/no-read?for=0.001&length=3&scope=connection');

inClearAndOverTls(({ ask, running, isSecure }) => {
  /** Sends as much content as the windows allow, and waits for the end of the response. */
  const upload = async (query: string, length: number) => {
    const asking = ask(h2.post(1, `/fault/no-read?for=0.3&length=3&${query}`));
    const windows = [65_535, 65_535];
    let seen = 0;
    let left = length;
    const stalls: number[] = [];
    const step = (): void => {
      for (const { stream, payload } of asking.client.got(h2.WINDOW_UPDATE).slice(seen)) {
        seen++;
        windows[stream] = (windows[stream] ?? 0) + payload.readUInt32BE();
      }
      const size = Math.min(left, 16_384, ...windows);
      if (size === 0 && left > 0 && stalls.at(-1) !== length - left) stalls.push(length - left);
      if (size === 0) return;
      left -= size;
      windows[0] = (windows[0] ?? 0) - size;
      windows[1] = (windows[1] ?? 0) - size;
      const flags = left === 0 ? h2.END_STREAM : 0;
      asking.client.send(h2.frame(h2.DATA, flags, 1, Buffer.alloc(size)));
      step();
    };
    const start = performance.now();
    await until(() => {
      step();
      return asking.client.isDone(1);
    });
    return { asking, time: performance.now() - start, stalled: stalls[0] ?? 0 };
  };

  test.each(['stream', 'connection'])(
    'scope=%s: content that was read before the fault ends the wait, too',
    async (scope) => {
      const path = `/respond?body=abc&fault=no-read,for=0.05,after=5,scope=${scope}`;
      const { client } = ask(h2.post(1, path), content(1, 16));
      await until(() => client.isDone(1));
      expect(client.content(1)).toBe('abc');
    },
  );

  test.each(['scope=stream', 'scope=connection'])(
    '%s: no WINDOW_UPDATE for a time',
    async (scope) => {
      const { asking, time, stalled } = await upload(scope, 200_000);
      expect(time).toBeGreaterThan(290);
      expect(stalled).toBe(65_535);
      expect(asking.client.content(1)).toBe('abc');
    },
  );

  test.each(['scope=stream', 'scope=connection'])('%s after some content', async (scope) => {
    const { time, stalled, asking } = await upload(`${scope}&after=100000`, 400_000);
    expect(time).toBeGreaterThan(290);
    expect(stalled).toBeGreaterThanOrEqual(65_535);
    expect(asking.client.content(1)).toBe('abc');
  });

  test('scope=connection again and again', async () => {
    const { port } = running();
    const session = connectHttp2(`${isSecure ? 'https' : 'http'}://127.0.0.1:${port}`, {
      rejectUnauthorized: false,
    });
    onTestFinished(() => session.destroy());
    for (let attempt = 1; attempt <= 3; attempt++) {
      const stream = session.request({
        ':method': 'POST',
        ':path': '/fault/no-read?for=0.05&length=3&scope=connection',
      });
      stream.end(Buffer.alloc(200_000));
      expect(await consumers.text(stream)).toBe('abc');
    }
  });

  test('scope=connection: the window never exceeds its initial size', async () => {
    const asking = ask(briefly(1), content(1, 1000));
    for (const id of [3, 5, 7]) {
      await until(() => asking.client.isDone(id - 2));
      asking.client.send(briefly(id), content(id, 1000));
    }
    await until(() => asking.client.isDone(7));
    expect(granted(asking.client)).toBeLessThanOrEqual(4000);
    asking.reset();
  });

  test('scope=connection: two at once keep the window until the second has ended', async () => {
    const path = '/fault/no-read?length=3&scope=connection';
    const asking = ask(h2.post(1, `${path}&for=60`), h2.post(3, `${path}&for=0.001`), PING);
    await until(() => asking.client.got(h2.PING).length === 1);
    asking.client.send(content(1, 16_000), content(3, 16_000));
    await until(() => asking.client.isDone(3));
    asking.client.send(PING);
    await until(() => asking.client.got(h2.PING).length === 2);
    expect(granted(asking.client)).toBe(0);
    asking.client.send(h2.frame(h2.RST_STREAM, 0, 1, h2.uint32(8)));
    await until(() => granted(asking.client) === 32_000);
    asking.reset();
  });

  test('scope=connection: a stream that is reset before its wait does not end that of another', async () => {
    const path = '/fault/no-read?scope=connection&for=60';
    const asking = ask();
    const acknowledged = (): number =>
      asking.client.got(h2.PING).filter(({ flags }) => flags === h2.ACK).length;
    let pongs = 0;
    const send = async (...frames: Buffer[]): Promise<void> => {
      asking.client.send(...frames, PING);
      pongs++;
      await until(() => acknowledged() === pongs);
    };
    await send(h2.post(1, `${path}&after=1000`));
    await send(h2.frame(h2.RST_STREAM, 0, 1, h2.uint32(8)));
    await send(h2.post(3, path));
    await send(...[1, 2, 3].map(() => h2.frame(h2.DATA, 0, 3, Buffer.alloc(16_000))));
    expect(granted(asking.client)).toBe(0);
    asking.reset();
  });

  test('less content than `after`', async () => {
    const { asking } = await upload('after=100000', 10);
    expect(asking.client.content(1)).toBe('abc');
  });

  test('scope=stream leaves other streams alone', async () => {
    const asking = ask(h2.post(1, '/fault/no-read?for=1'), h2.post(3, '/post'));
    asking.client.send(
      ...[1, 2, 3].map(() => h2.frame(h2.DATA, 0, 1, Buffer.alloc(10_000))),
      ...[1, 2, 3].map(() => h2.frame(h2.DATA, 0, 3, Buffer.alloc(10_000, 'a'))),
      h2.frame(h2.DATA, h2.END_STREAM, 3),
    );
    await until(() => asking.client.isDone(3));
    expect(asking.client.isDone(1)).toBe(false);
    asking.reset();
  });
});

inClearAndOverTls(
  ({ ask }) => {
    test.each([
      // 30 windows of at most 256 KiB fit.
      ['scope=stream', 10],
      ['scope=connection', 0],
    ])('%s: what may wait to be read is counted', async (query, refused) => {
      const ids = Array.from({ length: 40 }, (_, at) => 2 * at + 1);
      const asking = ask(
        ...ids.map((id) => h2.post(id, `/fault/no-read?for=60&${query}`)),
        h2.get(81, '/delay/0.05'),
      );
      await until(() => asking.client.isDone(81));
      expect(asking.client.got(h2.HEADERS)).toHaveLength(refused + 1);
      asking.reset();
    });
  },
  '--max-content-memory',
  '8',
);
