import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { startAdapters, until } from '../../_adapters.ts';
import * as h2 from '../../_frames.ts';
import { converse, openSocket } from '../../_raw.ts';
import { nextHeld } from '../../_shared.ts';
import { inClearAndOverTls } from './_sessions.ts';

const NO_ERROR = 0;
const LIMITS = {
  headerTimeout: 200,
  requestTimeout: 200,
  idleTimeout: 400,
  silence: 60_000,
  lingerTime: 100,
};

inClearAndOverTls(LIMITS, ({ alpn, adapters, open, allClosed }) => {
  test('SETTINGS are sent at once to a client that waits for them (RFC 9113 3.4)', async () => {
    const times: number[] = [];
    for (let at = 0; at < 5; at++) {
      const socket = await openSocket(adapters().port, alpn);
      const start = performance.now();
      const client = new h2.FrameClient(socket);
      await new Promise((resolve) => socket.once('data', resolve));
      times.push(performance.now() - start);
      expect(client.got(h2.SETTINGS).length).toBeGreaterThan(0);
      socket.destroy();
    }
    expect(Math.min(...times)).toBeLessThan(20);
    await until(allClosed);
  });

  test('a session without a request is ended by the header timeout, even if the client stays', async () => {
    const start = performance.now();
    const client = await open();
    await until(() => client.goaway() === NO_ERROR);
    expect(performance.now() - start).toBeGreaterThan(195);
    expect(performance.now() - start).toBeLessThan(1000);
    await until(allClosed);
    expect(performance.now() - start).toBeLessThan(2000);
  });

  test('so is half a preface on a negotiated or detected connection', async () => {
    const socket = await openSocket(adapters().port, alpn);
    await converse(socket, 'PRI * HTTP/2.0\r\n');
    socket.destroy();
    await until(allClosed);
  });

  test('an idle session is ended by the idle timeout, one with an open stream is not', async () => {
    const [idle, busy] = [await open(), await open()];
    const start = performance.now();
    idle.send(h2.get(1, '/healthz'));
    busy.send(h2.get(1, '/hold'));
    const held = await nextHeld(adapters());
    await until(() => idle.isDone(1));
    await until(() => idle.goaway() === NO_ERROR);
    expect(performance.now() - start).toBeGreaterThan(390);
    await pause(600);
    expect(busy.goaway()).toBeUndefined();
    held.respond();
    await until(() => busy.isDone(1));
    idle.socket.destroy();
    busy.socket.destroy();
    await until(allClosed);
  });

  test('slow content gets 408, and its stream is not left open', async () => {
    const client = await open();
    client.send(h2.post(1, '/anything'), h2.frame(h2.DATA, 0, 1, Buffer.from('half')));
    await until(() => client.isDone(1));
    expect(JSON.parse(client.content(1))).toMatchObject({ status: 408 });
    await until(() => client.reset(1) === NO_ERROR);
    client.send(h2.get(3, '/healthz'));
    await until(() => client.isDone(3));
    client.socket.destroy();
    await until(allClosed);
  });

  test('slow content that no handler reads does not affect the response, whose end ends the stream', async () => {
    const client = await open();
    client.send(h2.post(1, '/hold'), h2.frame(h2.DATA, 0, 1, Buffer.from('half')));
    const held = await nextHeld(adapters());
    await pause(400);
    held.respond();
    await until(() => client.isDone(1));
    expect(client.content(1)).toMatch(/^held/);
    await until(() => client.reset(1) === NO_ERROR);
    client.socket.destroy();
    await until(allClosed);
  });

  test('endless provoked stream errors end the session (CVE-2025-8671)', async () => {
    const client = await open();
    await until(() => client.got(h2.SETTINGS).length > 1);
    for (let batch = 0; batch < 200 && !client.ended; batch++) {
      const frames: Buffer[] = [];
      for (let at = 0; at < 50; at++) {
        const stream = 1 + 2 * (batch * 50 + at);
        frames.push(
          h2.post(stream, '/anything', ['content-length', '1']),
          h2.frame(h2.DATA, h2.END_STREAM, stream, Buffer.from('too long')),
        );
      }
      client.send(...frames);
      await pause(1);
    }
    await until(() => client.ended);
    await until(allClosed);
    expect(adapters().outcomes.length).toBeLessThan(5000);
  });

  test('a session that begins during a drain serves its first stream and ends', async () => {
    const draining = await startAdapters();
    draining.drainState.isDraining = true;
    const client = new h2.FrameClient(await openSocket(draining.port, alpn));
    await until(() => client.got(h2.SETTINGS).length > 0);
    expect(client.goaway()).toBeUndefined();
    client.send(h2.get(1, '/anything'));
    await until(() => client.isDone(1));
    await until(() => client.goaway() === NO_ERROR && client.ended);
    client.socket.end();
    await until(() => draining.listener.connections.size === 0);
  });

  test('a drain completes open streams and closes idle sessions', async () => {
    const draining = await startAdapters();
    const connect = async (): Promise<h2.FrameClient> =>
      new h2.FrameClient(await openSocket(draining.port, alpn));
    const [busy, idle] = [await connect(), await connect()];
    busy.send(h2.get(1, '/hold'), h2.get(3, '/hold'));
    idle.send(h2.get(1, '/healthz'));
    await until(() => draining.held.length === 2 && idle.isDone(1));
    draining.http2.drain();
    await until(() => idle.ended && busy.goaway() === NO_ERROR);
    for (const held of draining.held) held.respond();
    await until(() => busy.isDone(1) && busy.isDone(3) && busy.ended);
    busy.socket.end();
    idle.socket.end();
    await until(() => draining.listener.connections.size === 0);
  });
});

test('a session whose client stops reading is aborted', async () => {
  const adapters = await startAdapters({ silence: 200 });
  const client = new h2.FrameClient(await openSocket(adapters.port));
  const window = h2.uint32(2 ** 31 - 1 - 65_535);
  const settings = Buffer.concat([Buffer.from([0, 4]), h2.uint32(2 ** 31 - 1)]);
  client.send(
    h2.frame(h2.SETTINGS, 0, 0, settings),
    h2.frame(h2.WINDOW_UPDATE, 0, 0, window),
    h2.get(1, '/zeros/1000000000'),
  );
  await until(() => client.got(h2.DATA).length > 0);
  client.socket.pause();
  await until(() => adapters.listener.connections.size === 0);
});

// Node sends ten PINGs that are not acknowledged. Before the end of a header section none can be (RFC 9113 4.3).
test('a client that acknowledges no PING gets its response', async () => {
  const adapters = await startAdapters({ silence: 100 });
  const client = new h2.FrameClient(await openSocket(adapters.port));
  client.send(h2.get(1, '/hold'));
  await until(() => client.got(h2.PING).length === 10);
  await pause(1000);
  adapters.held[0]?.respond();
  await until(() => client.isDone(1));
  client.socket.destroy();
  await until(() => adapters.listener.connections.size === 0);
});

// On Node 20 the session does not end by itself, and closing it when idle destroys it.
test('a session with a fatal error may reach the idle and silence limits at once', async () => {
  const adapters = await startAdapters({ idleTimeout: 300, silence: 300 });
  const client = new h2.FrameClient(await openSocket(adapters.port));
  client.send(h2.get(1, '/healthz'));
  await until(() => client.isDone(1));
  client.send(h2.frame(h2.PING, 0, 0, Buffer.alloc(7)));
  await until(() => adapters.listener.connections.size === 0);
});
