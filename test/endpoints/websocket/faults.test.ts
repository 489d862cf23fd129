import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, describe, expect, test } from 'vitest';
import { encodeFrame, Opcode } from '../../../src/wire/websocket/frame.ts';
import { isHttp2 } from '../../_client.ts';
import { everywhere, overBothProtocols } from '../../_everywhere.ts';
import { startService } from '../../_service.ts';
import { journalOf } from '../../_walk.ts';
import { closeWebSockets, frame, openWebSocket, type WebSocketClient } from '../../_websocket.ts';

afterEach(closeWebSockets);

const SETTINGS = ['--h2-enable-connect-protocol', '--metrics-enabled'];

overBothProtocols(({ transport, running }) => {
  const open = async (
    query: string,
    fields: Readonly<Record<string, string>> = {},
  ): Promise<WebSocketClient> =>
    openWebSocket(transport, running().port, `/websocket/echo?${query}`, { fields });

  test('hello: the first message is the echo of the handshake', async () => {
    const socket = await open('hello&delay=0', { 'X-Own': 'a' });
    socket.send(frame(Opcode.text, 'b'));
    const [hello, echo] = await socket.received(2);
    expect(hello).toMatchObject({ opcode: Opcode.text, isFinal: true });
    expect(JSON.parse(hello?.content.toString() ?? '')).toMatchObject({
      method: isHttp2(transport) ? 'CONNECT' : 'GET',
      path: '/websocket/echo',
      args: { hello: '', delay: '0' },
      headers: { 'x-own': 'a' },
    });
    expect(echo?.content.toString()).toBe('b');
  });

  test.each([
    ['close=1011', 0, '1011 '],
    ['close=4000&reason=%C3%A9%E2%82%AC', 0, '4000 é€'],
    ['close=1001&after=2', 2, '1001 '],
  ])('%s closes after %d messages', async (query, after, reason) => {
    const socket = await open(query);
    socket.send(
      frame(Opcode.text, 'a', false),
      frame(Opcode.continuation, 'b'),
      frame(Opcode.binary, 'c'),
      frame(Opcode.text, 'd'),
    );
    expect(await socket.closed()).toBe(reason);
    const finals = socket.frames.slice(0, -1).filter(({ isFinal }) => isFinal);
    expect(finals).toHaveLength(after);
  });

  test('reset: RST, on HTTP/2 RST_STREAM', async () => {
    const socket = await open('reset&after=1');
    const failed = once(socket.stream, 'error');
    // libuv reports RST as the end if data came with it; then the socket cannot be written to.
    socket.stream.once('end', () => socket.stream.write('x'));
    socket.send(frame(Opcode.text, 'a'));
    const [error] = (await failed) as [NodeJS.ErrnoException];
    expect(error.message).toMatch(isHttp2(transport) ? /NGHTTP2_INTERNAL_ERROR/ : /RESET|EPIPE/);
  });

  test('reset at once: after the response', async () => {
    const socket = await open('reset');
    await socket.ended;
    expect(socket.frames).toEqual([]);
  });

  test('stall: nothing more comes, neither Pong nor Close, but what is sent is read', async () => {
    const socket = await open('stall&after=1');
    socket.send(frame(Opcode.text, 'a'), frame(Opcode.text, 'b'), frame(Opcode.ping));
    expect(await socket.received(1)).toHaveLength(1);
    const large = frame(Opcode.binary, Buffer.alloc(1024 * 1024));
    for (let count = 0; count < 20; count++) {
      if (!socket.stream.write(large)) await once(socket.stream, 'drain');
    }
    socket.send(frame(Opcode.close));
    await pause(50);
    expect(socket.frames).toEqual([]);
    expect(socket.stream.readableEnded).toBe(false);
  });

  test.each([
    ['stall', ''],
    ['oversized', `827f4000000000000000${'00'.repeat(1024)}`],
  ])('a drain resets it during %s, and sends no Close', async (fault, hex) => {
    const other = await startService(...SETTINGS, '--drain-timeout=100');
    const { socket, later } = await openRaw(fault, other.port);
    await once(socket.stream, 'data');
    await expect.poll(later).toBe(hex);
    expect(await other.service.drain()).toBe(0);
    await socket.ended;
    expect(later()).toBe(hex);
  });

  test('no-pong: messages come back, Pings do not', async () => {
    const socket = await open('no-pong&after=1');
    socket.send(frame(Opcode.ping, 'x'), frame(Opcode.text, 'a'), frame(Opcode.ping, 'y'));
    socket.send(frame(Opcode.text, 'b'));
    const frames = await socket.received(3);
    expect(frames.map(({ content }) => content.toString())).toEqual(['x', 'a', 'b']);
  });

  /** A WebSocket with a fault after the first message. Its later bytes are kept as they are. */
  async function openRaw(fault: string, port = running().port) {
    const pieces: Buffer[] = [];
    const socket = await openWebSocket(transport, port, `/websocket/echo?${fault}&after=1`);
    socket.stream.on('error', () => undefined);
    socket.stream.removeAllListeners('data').on('data', (piece: Buffer) => pieces.push(piece));
    socket.stream.write(frame(Opcode.text));
    return { socket, later: () => Buffer.concat(pieces).subarray(2).toString('hex') };
  }

  test.each([
    ['bad-utf8', '810263ff'],
    ['bad-opcode', '8300'],
    ['oversized', `827f4000000000000000${'00'.repeat(1024)}`],
  ])('%s sends %s', async (fault, hex) => {
    const { socket, later } = await openRaw(fault);
    await expect.poll(later).toBe(hex);
    socket.stream.write(frame(Opcode.text, 'a'));
    await pause(20);
    await expect.poll(later).toBe(fault === 'oversized' ? hex : `${hex}810161`);
  });

  test('masked: frames are masked from then on', async () => {
    const { socket, later } = await openRaw('masked');
    socket.stream.write(frame(Opcode.text, 'b'));
    await expect.poll(later).toHaveLength(2 * 7);
    const mask = Buffer.from(later(), 'hex').subarray(2, 6);
    const expected = encodeFrame({ isFinal: true, opcode: 1, content: Buffer.from('b') }, mask);
    expect(later()).toBe(expected.toString('hex'));
  });

  test('journal and metrics name the fault', async () => {
    const key = `fault-${transport.replace('/', '')}`;
    const socket = await open('close=1011', { 'X-Wirebin-Journal': key });
    await socket.closed();
    socket.stream.end();
    const { entries } = await journalOf(running().port, key, '?wait=1&until=ended&timeout=5');
    expect(entries[0]?.response).toMatchObject({ fault: 'websocket-close' });
    const metrics = await fetch(`http://127.0.0.1:${running().port}/metrics`);
    expect(await metrics.text()).toContain('wirebin_faults_total{kind="websocket-close"}');
  });
}, SETTINGS);

describe('ping', () => {
  everywhere(({ transport, running }) => {
    const open = async (query: string): Promise<WebSocketClient> =>
      openWebSocket(transport, running().port, `/websocket/echo?${query}`);

    test('sends Pings at an interval, also within a message and beside echoes', async () => {
      // Before the handshake: the first interval begins when the service has accepted it.
      const start = performance.now();
      const socket = await open('ping=30ms');
      socket.send(frame(Opcode.text, 'a', false));
      const frames = await socket.received(6);
      expect(performance.now() - start).toBeGreaterThan(140);
      const echoed = frames.findIndex(({ opcode }) => opcode === Opcode.text);
      expect(frames.at(-1)?.opcode).toBe(Opcode.ping);
      const pings = frames.toSpliced(echoed, 1);
      expect(pings.map(({ opcode }) => opcode)).toEqual(Array(5).fill(Opcode.ping));
      expect(pings.map(({ content }) => content.toString()).join()).toBe('1,2,3,4,5');
      socket.send(frame(Opcode.pong, '5'), frame(Opcode.continuation, 'b'), frame(Opcode.close));
      expect(await socket.closed()).toBe('');
      const kept = socket.frames.filter(({ opcode }) => opcode !== Opcode.ping);
      expect(kept.map(({ opcode }) => opcode)).toEqual([Opcode.continuation, Opcode.close]);
      // None follows Close.
      expect(socket.frames.at(-1)?.opcode).toBe(Opcode.close);
    });

    test('a stall sends none', async () => {
      const socket = await open('ping=10ms&stall&after=1');
      socket.send(frame(Opcode.text, 'a'));
      await expect.poll(() => socket.frames.at(-1)?.opcode).toBe(Opcode.text);
      const { length } = socket.frames;
      await pause(100);
      expect(socket.frames).toHaveLength(length);
    });
  }, SETTINGS);
});

test.each([
  ['ping=9ms', 'ping=9ms is below the minimum of 0.01'],
  ['ping=0', 'ping=0 is below the minimum of 0.01'],
  ['pin=5s', 'did you mean ping?'],
  ['close=1005', 'close=1005 is no code that may be sent'],
  ['close=1e3', 'close=1e3 is no code that may be sent'],
  ['close=1011&reset', 'close and reset are two faults'],
  ['stall&no-pong=1', 'stall and no-pong are two faults'],
  ['reason=a', 'reason needs close'],
  [`close=1000&reason=${'x'.repeat(124)}`, 'has more than 123 bytes'],
  ['after=1', 'after needs a fault: close, reset, stall,'],
  ['aftre=1&reset', 'did you mean after?'],
  ['delay=9999', 'exceeds the maximum of 300'],
])('?%s: %s', async (query, detail) => {
  const { port } = await startService();
  const response = await fetch(`http://127.0.0.1:${port}/websocket/echo?${query}`);
  expect(response.status).toBe(400);
  expect(await response.text()).toContain(detail);
});

test('a delay is before each message, and ends with the connection', async () => {
  const { port, service } = await startService();
  const socket = await openWebSocket('http/1.1', port, '/websocket/echo?delay=50ms');
  const start = performance.now();
  socket.send(frame(Opcode.text, 'a'), frame(Opcode.text, 'b'), frame(Opcode.ping));
  const frames = await socket.received(3);
  expect(performance.now() - start).toBeGreaterThan(99);
  expect(frames.map(({ opcode }) => opcode)).toEqual([Opcode.text, Opcode.text, Opcode.pong]);
  const other = await openWebSocket('http/1.1', port, '/websocket/echo?delay=200s');
  other.send(frame(Opcode.text, 'a'));
  await pause(20);
  other.destroy();
  service.close();
});
