import { expect, test } from 'vitest';
import { until } from '../../../_adapters.ts';
import * as h2 from '../../../_frames.ts';
import { inClearAndOverTls, PING, PONG, untilFrames } from './_observed.ts';

inClearAndOverTls(({ ask, FIN, running }) => {
  const fail = (kind: string) => ask(h2.get(1, `/fault/${kind}`));

  const HALF = ['HEADERS 1', 'DATA 1 5120'];
  const REST = ['DATA 1 5120', 'DATA 1 0 END'];

  test.each([
    ['goaway', [...HALF, 'GOAWAY 1 0', ...REST]],
    ['goaway?code=11&debug=why', [...HALF, 'GOAWAY 1 11 why', ...REST]],
    ['goaway?then=close&code=INTERNAL_ERROR', [...HALF, 'GOAWAY 1 2']],
    ['goaway?then=close&last=max', [...HALF, 'GOAWAY 2147483647 0']],
    ['goaway?then=close&last=zero&code=7&debug=x', [...HALF, 'GOAWAY 0 7 x']],
    ['goaway?then=close&last=previous', [...HALF, 'GOAWAY 0 0']],
    ['goaway?at=start&then=close', ['GOAWAY 1 0']],
  ])('%s, then FIN', async (kind, frames) => {
    const outcome = await fail(kind).outcome();
    // A last DATA without content may be joined.
    expect(outcome.frames.join().replace('5120,DATA 1 0 END', '5120 END')).toBe(
      frames.join().replace('5120,DATA 1 0 END', '5120 END'),
    );
    expect(outcome).toMatchObject(FIN);
  });

  test('last=max: again with the real stream, after a round trip', async () => {
    const asking = fail('goaway?last=max&at=start&length=26&code=0');
    await untilFrames(asking, ['GOAWAY 2147483647 0', 'PING']);
    const sent = asking.client.got(h2.PING)[0]?.payload;
    asking.client.send(h2.frame(h2.PING, 1, 0, sent));
    const { frames, ...ending } = await asking.outcome();
    expect(frames.slice(2)).toEqual(['GOAWAY 1 0', 'HEADERS 1', 'DATA 1 26 END']);
    expect(ending).toEqual(FIN);
  });

  test('last=this: earlier streams are finished, later ones ignored', async () => {
    const asking = ask(
      h2.get(1, '/delay/0.2'),
      h2.get(3, '/fault/goaway?length=26'),
      h2.get(5, '/get'),
    );
    const { frames, ...ending } = await asking.outcome();
    expect(ending).toEqual(FIN);
    expect(frames).toContain('GOAWAY 3 0');
    expect(asking.client.isDone(1)).toBe(true);
    expect(asking.client.isDone(3)).toBe(true);
  });

  test('last=previous: this stream gets no more', async () => {
    const asking = ask(h2.get(1, '/delay/0.1'), h2.get(3, '/fault/goaway?last=previous'));
    const { frames, ...ending } = await asking.outcome();
    expect(frames).toEqual([
      'HEADERS 3',
      'DATA 3 5120',
      'GOAWAY 1 0',
      'HEADERS 1',
      expect.stringMatching(/^DATA 1 \d+ END$/),
    ]);
    expect(ending).toEqual(FIN);
  });

  test('last=zero&then=finish: the connection stays, and replies to PING and SETTINGS', async () => {
    const asking = fail('goaway?last=zero&at=start');
    await untilFrames(asking, ['GOAWAY 0 0']);
    const settings = asking.client.got(h2.SETTINGS).length;
    // The first half of the frames in a piece of its own.
    const bytes = Buffer.concat([h2.frame(h2.DATA, 0, 9, Buffer.alloc(5)), PING]);
    asking.client.send(bytes.subarray(0, 20));
    asking.client.send(bytes.subarray(20));
    await untilFrames(asking, ['GOAWAY 0 0', PONG]);
    asking.client.send(h2.frame(h2.SETTINGS, 0, 0));
    await until(() => asking.client.got(h2.SETTINGS).length === settings + 1);
    expect(asking.client.got(h2.SETTINGS).at(-1)).toMatchObject({ flags: 1 });
    asking.client.socket.end();
    await asking.ended;
  });

  test('more PING frames than are allowed on a connection that stays', async () => {
    const asking = fail('goaway?last=zero&at=start');
    await untilFrames(asking, ['GOAWAY 0 0']);
    // So many that the start of another second does not matter.
    asking.client.send(...Array<Buffer>(2500).fill(PING));
    const { frames } = await asking.outcome();
    expect(frames.at(-1)).toBe('GOAWAY 0 11');
    expect(frames.filter((each) => each === PONG).length).toBeLessThan(2000);
    asking.reset();
    await until(() => running().logged.some(({ reason }) => reason === 'flood'));
  });
}, '--log-level=debug');
