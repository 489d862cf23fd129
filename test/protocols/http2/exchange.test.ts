import { expect, test } from 'vitest';
import { settled, until } from '../../_adapters.ts';
import * as h2 from '../../_frames.ts';
import { openSocket } from '../../_raw.ts';
import { startService } from '../../_service.ts';
import { nextHeld } from '../../_shared.ts';
import { inClearAndOverTls } from './_sessions.ts';

const CANCEL = 8;

inClearAndOverTls({}, ({ alpn, adapters, open, allClosed }) => {
  test('content above the limit gets 413, and the stream ends cleanly', async () => {
    const client = await open();
    client.send(
      h2.post(1, '/anything'),
      h2.frame(h2.DATA, 0, 1, Buffer.alloc(8000)),
      h2.frame(h2.DATA, 0, 1, Buffer.alloc(8000)),
      h2.frame(h2.DATA, h2.END_STREAM, 1),
      h2.get(3, '/healthz'),
    );
    await until(() => client.isDone(1) && client.isDone(3));
    expect(JSON.parse(client.content(1))).toMatchObject({
      status: 413,
      detail: expect.stringMatching(/ of \d+ bytes; --max-body-size sets it$/) as unknown,
    });
    expect(client.reset(1)).toBeUndefined();
    await settled(adapters());
  });

  test('a response that takes too long is reset, and does not look complete', async () => {
    const { port } = await startService({ answerTimeout: 100, sweepInterval: 20 });
    const client = new h2.FrameClient(await openSocket(port, alpn));
    // Its content has no length.
    client.send(h2.get(1, '/sse?duration=60'));
    await until(() => client.reset(1) !== undefined);
    expect(client.reset(1)).toBe(CANCEL);
    expect(client.got(h2.DATA, 1).length).toBeGreaterThan(0);
    expect(client.isDone(1)).toBe(false);
  });

  test('100 (Continue) is sent when the content is read, but not if it is too large', async () => {
    const client = await open();
    const expects: [string, string] = ['expect', '100-continue'];
    client.send(
      h2.post(1, '/anything', expects),
      h2.post(3, '/anything', expects, ['content-length', '2000']),
    );
    await until(() => client.got(h2.HEADERS, 1).length === 1 && client.isDone(3));
    expect(client.isDone(1)).toBe(false);
    expect(client.got(h2.HEADERS, 3)).toHaveLength(1);
    expect(JSON.parse(client.content(3))).toMatchObject({ status: 413 });
    client.send(h2.frame(h2.DATA, h2.END_STREAM, 1, Buffer.from('hi')));
    await until(() => client.isDone(1));
    expect(JSON.parse(client.content(1))).toMatchObject({ body: 'hi' });
  });

  test('a stream that is reset together with its request is harmless', async () => {
    const client = await open();
    for (let stream = 1; stream < 40; stream += 2) {
      client.send(
        h2.post(stream, '/anything', ['expect', '100-continue']),
        h2.frame(h2.RST_STREAM, 0, stream, h2.uint32(CANCEL)),
      );
    }
    client.send(h2.get(41, '/healthz'));
    await until(() => client.isDone(41));
    await settled(adapters());
    expect(adapters().defects).toEqual([]);
  });

  test('a stream reset before its response aborts the signal of the handler', async () => {
    const client = await open();
    client.send(h2.get(1, '/hold'));
    const held = await nextHeld(adapters());
    client.send(h2.frame(h2.RST_STREAM, 0, 1, h2.uint32(CANCEL)));
    await until(() => held.request.signal.aborted);
    expect(held.request.connection.requests.open).toBe(0);
    held.respond();
  });

  test('a stream is reset, and a session killed, during a response', async () => {
    const client = await open();
    client.send(h2.get(1, '/zeros/10000000'), h2.get(3, '/zeros/10000000'));
    await until(() => client.got(h2.DATA).length > 2);
    client.send(h2.frame(h2.RST_STREAM, 0, 1, h2.uint32(CANCEL)));
    await until(() =>
      [...adapters().listener.connections].some((each) => each.requests.open === 1),
    );
    client.socket.destroy();
    await until(allClosed);
  });

  test("a client's GOAWAY ends the session when its streams are complete", async () => {
    const client = await open();
    client.send(h2.get(1, '/hold'), h2.frame(h2.GOAWAY, 0, 0, Buffer.alloc(8)));
    (await nextHeld(adapters())).respond();
    await until(() => client.isDone(1));
    client.socket.end();
    await until(allClosed);
  });
});
