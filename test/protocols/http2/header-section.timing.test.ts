import { expect, test, type TestContext } from 'vitest';
import { startAdapters, until } from '../../_adapters.ts';
import { differs } from '../../_engine.ts';
import * as h2 from '../../_frames.ts';
import { INSPECTED } from '../../_inspected.ts';
import { openSocket } from '../../_raw.ts';
import { nextHeld } from '../../_shared.ts';
import { inClearAndOverTls } from './_sessions.ts';

const NO_ERROR = 0;
const PROTOCOL_ERROR = 1;
const ENHANCE_YOUR_CALM = 11;

/** Sends some bytes of the frame at once, then one every 20 ms. */
function dribble({ onTestFinished }: TestContext, client: h2.FrameClient, bytes: Buffer): void {
  let at = 15;
  client.send(bytes.subarray(0, at));
  const timer = setInterval(() => client.send(bytes.subarray(at, ++at)), 20);
  onTestFinished(() => {
    clearInterval(timer);
  });
}

const LONG = `/${'a'.repeat(8000)}`;

const LIMITS = {
  headerTimeout: 200,
  idleTimeout: 500,
  silence: 60_000,
  lingerTime: 100,
};

inClearAndOverTls(LIMITS, ({ alpn, adapters, open, allClosed }) => {
  test('a first HEADERS frame that arrives byte by byte does not keep a connection open', async (context) => {
    const client = await open();
    dribble(context, client, h2.get(1, LONG));
    await until(() => client.goaway() !== undefined && client.ended, 'the end', 2000);
  });

  test('nor a header section in CONTINUATION', async (context) => {
    const client = await open();
    const headers = h2.get(1, LONG).subarray(9);
    client.send(h2.frame(h2.HEADERS, h2.END_STREAM, 1, headers.subarray(0, 100)));
    dribble(context, client, h2.frame(h2.CONTINUATION, h2.END_HEADERS, 1, headers.subarray(100)));
    await until(() => client.goaway() !== undefined && client.ended, 'the end', 2000);
  });

  test('nor a later one, with another stream open', async (context) => {
    const client = await open();
    client.send(h2.get(1, '/hold'));
    const held = await nextHeld(adapters());
    dribble(context, client, h2.get(3, LONG));
    await until(() => client.goaway() === ENHANCE_YOUR_CALM && client.ended, 'the end', 2000);
    held.respond();
  });

  const isWaited = !differs('A header section that is arriving when the connection closes');
  test.runIf(isWaited)('nor one on a closing connection', async (context) => {
    const draining = await startAdapters({ headerTimeout: 60_000 });
    const client = new h2.FrameClient(await openSocket(draining.port, alpn));
    client.send(h2.get(1, '/healthz'));
    await until(() => client.isDone(1));
    const [connection] = draining.listener.connections;
    const before = connection?.socket.bytesRead ?? 0;
    dribble(context, client, h2.get(3, LONG));
    await until(() => (connection?.socket.bytesRead ?? 0) > before);
    draining.http2.drain();
    await until(() => client.goaway() === NO_ERROR);
    expect(client.ended).toBe(false);
    draining.http2.closeIdle(0);
    await until(() => client.ended, 'the end', 1000);
  });

  test('a rejected header section counts as ended', async () => {
    const client = await open();
    h2.acknowledgePings(client);
    client.send(h2.get(1, '/hold'), h2.get(3, 'no-target'));
    const held = await nextHeld(adapters());
    // With --inspect, RST_STREAM tells that the section has ended.
    const isTold = INSPECTED || differs('A stream that is refused');
    const isKnown = (): boolean => isTold || client.got(h2.PING).length > 0;
    await until(() => client.reset(3) === PROTOCOL_ERROR && isKnown());
    // Three times the limit.
    const looked = performance.now();
    await until(() => performance.now() - looked > 600);
    expect(client.goaway()).toBeUndefined();
    held.respond();
    await until(() => client.isDone(1));
    client.socket.destroy();
    await until(allClosed);
  });

  test('and so it does on a closing connection', async () => {
    const draining = await startAdapters({ headerTimeout: 200 });
    const client = new h2.FrameClient(await openSocket(draining.port, alpn));
    h2.acknowledgePings(client);
    client.send(h2.get(1, '/hold'));
    await until(() => draining.held.length === 1);
    draining.http2.drain();
    await until(() => client.goaway() === NO_ERROR);
    client.send(h2.get(3, 'no-target'));
    const sent = performance.now();
    await until(() => performance.now() - sent > 600);
    draining.held[0]?.respond();
    await until(() => client.isDone(1));
  });
});
