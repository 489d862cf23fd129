import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { Duplex } from 'node:stream';
import { setImmediate as turn } from 'node:timers/promises';
import { afterEach, expect, test } from 'vitest';
import { WebSocketEcho } from '../../../src/endpoints/websocket/echo.ts';
import { Opcode } from '../../../src/wire/websocket/frame.ts';
import { UpgradeChannel } from '../../../src/server/upgrade.ts';
import { until } from '../../_adapters.ts';
import { isHttp2 } from '../../_client.ts';
import { everywhere, overBothProtocols } from '../../_everywhere.ts';
import { startService } from '../../_service.ts';
import { journalOf } from '../../_walk.ts';
import {
  ACCEPT,
  closeWebSockets,
  frame,
  openWebSocket,
  type WebSocketClient,
} from '../../_websocket.ts';

afterEach(closeWebSockets);

const ignore = (): void => undefined;
const CONNECT = '--h2-enable-connect-protocol';
const close = (code: number, reason = ''): Buffer =>
  frame(
    Opcode.close,
    Buffer.concat([Buffer.of(Math.trunc(code / 256), code % 256), Buffer.from(reason)]),
  );

everywhere(({ transport, running }) => {
  const open = async (target?: string, journal?: string): Promise<WebSocketClient> =>
    openWebSocket(transport, running().port, target, {
      ...(journal !== undefined && { fields: { 'X-Wirebin-Journal': journal } }),
    });

  test('frames come back as they were sent, with a Pong in their midst', async () => {
    const socket = await open();
    if (!isHttp2(transport)) expect(socket.fields['sec-websocket-accept']).toBe(ACCEPT);
    const large = randomBytes(300_000);
    socket.send(
      frame(Opcode.text, 'in ', false),
      frame(Opcode.ping, 'ping'),
      frame(Opcode.continuation, '', false),
      frame(Opcode.continuation, 'fragments'),
      frame(Opcode.pong),
      frame(Opcode.binary, large),
      frame(Opcode.text, 'é€😀'),
    );
    const frames = await socket.received(6);
    expect(frames.map(({ opcode, isFinal, content }) => [opcode, isFinal, content.length])).toEqual(
      [
        [Opcode.text, false, 3],
        [Opcode.pong, true, 4],
        [Opcode.continuation, false, 0],
        [Opcode.continuation, true, 9],
        [Opcode.binary, true, 300_000],
        [Opcode.text, true, 9],
      ],
    );
    expect(frames[4]?.content.equals(large)).toBe(true);
    expect(frames[5]?.content.toString()).toBe('é€😀');
  });

  test('RFC 6455 5.5.1: Close comes back with its code and reason, and is the end', async () => {
    const socket = await open();
    socket.send(frame(Opcode.text, 'a'), close(4999, 'bye'), frame(Opcode.text, 'after'));
    expect(await socket.closed()).toBe('4999 bye');
    expect(socket.frames).toHaveLength(2);
  });

  test('the journal tells a Close from a client that has disconnected', async () => {
    const key = `websocket-${transport.replace('/', '')}`;
    const closing = await open('/websocket/echo', `${key}-close`);
    closing.send(frame(Opcode.close));
    expect(await closing.closed()).toBe('');
    closing.stream.end();
    const leaving = await open('/websocket/echo', `${key}-leave`);
    leaving.destroy();
    const journals = await Promise.all(
      ['close', 'leave'].map((how) =>
        journalOf(running().port, `${key}-${how}`, '?wait=1&until=ended&timeout=5'),
      ),
    );
    const outcomes = journals.map(({ entries }) => entries[0]?.outcome);
    expect(outcomes).toEqual(['sent', 'disconnected']);
  });

  test('a client that ends its side without Close has disconnected', async () => {
    const socket = await open();
    socket.stream.end();
    await socket.ended;
    expect(socket.frames).toEqual([]);
  });
}, CONNECT);

test('a flood of small frames is read in turn with other work', async () => {
  const count = 50_000;
  let pongs = 0;
  const stream = new Duplex({
    read: () => undefined,
    write(piece: Buffer, _encoding, done) {
      pongs += piece.length / 2;
      done();
    },
  });
  const ends = { end: ignore, abort: ignore, reset: ignore };
  const channel = new UpgradeChannel(stream, { bytes: 0, failed: ignore }, ends);
  const limits = { maxFrame: 1, maxMessage: 1, idleTimeout: 60_000 };
  const echo = new WebSocketEcho(channel, limits, ignore);
  stream.push(Buffer.concat(Array.from({ length: count }, () => frame(Opcode.ping))));
  await turn();
  expect(pongs).toBeGreaterThan(0);
  expect(pongs).toBeLessThan(count);
  await until(() => pongs === count);
  echo.drain();
  stream.destroy();
});

const BINARY = Buffer.from(frame(Opcode.binary, 'x'));

/** The frame with some of its first bytes replaced. */
function changed(bytes: Buffer, ...start: readonly number[]): Buffer {
  return Buffer.concat([Buffer.from(start), bytes.subarray(start.length)]);
}

overBothProtocols(({ transport, running }) => {
  test.each<[string, string, readonly Buffer[]]>([
    ['5.1: no mask', '1002 a frame is not masked', [Buffer.of(0x82, 1, 0x78)]],
    ['5.2: a reserved bit', '1002 a reserved bit is set', [changed(BINARY, 0xc2)]],
    ['5.2: an opcode', '1002 the opcode 3 is reserved', [changed(BINARY, 0x83)]],
    [
      '5.2: 2^63 bytes',
      '1002 a length is negative',
      [Buffer.from(`82ff80${'00'.repeat(7)}01020304`, 'hex')],
    ],
    [
      '2^63 - 1 bytes',
      '1009 a frame has more than 65536 bytes',
      [Buffer.from(`82ff7f${'ff'.repeat(7)}01020304`, 'hex')],
    ],
    [
      '5.2: a length in more bytes than it needs',
      '1002 a length has more bytes than it needs',
      [Buffer.from('82fe000101020304', 'hex')],
    ],
    [
      '5.4: a continuation of nothing',
      '1002 a continuation frame without a message',
      [frame(Opcode.continuation)],
    ],
    [
      '5.4: a message in a message',
      '1002 a message inside of another one',
      [frame(Opcode.text, 'a', false), frame(Opcode.text, 'b')],
    ],
    ['5.5: a fragmented ping', '1002 a control frame is fragmented', [frame(9, '', false)]],
    ['5.5: a long ping', '1002 a control frame is too long', [frame(9, 'x'.repeat(126))]],
    ['5.5.1: half of a code', '1002 a Close frame has half of a code', [frame(8, 'x')]],
    ['7.4.1: 1005', '1002 a Close frame has the code 1005', [close(1005)]],
    ['7.4.2: 5000', '1002 a Close frame has the code 5000', [close(5000)]],
    [
      '5.5.1: a reason',
      '1007 the reason of a Close frame is not UTF-8',
      [frame(8, Buffer.of(3, 232, 0xff))],
    ],
    ['8.1: text', '1007 a text message is not UTF-8', [frame(1, Buffer.of(0xff))]],
    [
      '8.1: half of a character at the end',
      '1007 a text message is not UTF-8',
      [frame(1, Buffer.of(0xc3), false), frame(0)],
    ],
    [
      'a message',
      '1009 a message has more than 100000 bytes',
      [frame(2, 'x'.repeat(60_000), false), frame(0, 'x'.repeat(60_000))],
    ],
  ])('what is wrong by RFC 6455: %s: %s', async (_, reason, frames) => {
    const target = '/websocket/echo?max_fragment_size=65536&max_message_size=100000';
    const socket = await openWebSocket(transport, running().port, target);
    socket.send(...frames, frame(Opcode.text, 'after'));
    expect(await socket.closed()).toBe(reason);
  });

  test('a character may be divided between fragments', async () => {
    const socket = await openWebSocket(transport, running().port);
    socket.send(frame(1, Buffer.of(0xc3), false), frame(0, Buffer.of(0xa9)));
    expect(await socket.received(2)).toHaveLength(2);
  });

  test('bytes may arrive one by one', async () => {
    const socket = await openWebSocket(transport, running().port);
    const bytes = Buffer.concat([frame(1, 'a'.repeat(200)), frame(9, 'ping'), close(1000)]);
    for (const byte of bytes) {
      socket.stream.write(Buffer.of(byte));
      await new Promise(setImmediate);
    }
    expect(await socket.closed()).toBe('1000 ');
    expect(socket.frames.map(({ content }) => content.length)).toEqual([200, 4, 2]);
  });

  test('a client that does not read is not read either', async () => {
    const socket = await openWebSocket(transport, running().port);
    socket.stream.pause();
    const ping = Buffer.concat(Array.from({ length: 500 }, () => frame(9, 'x'.repeat(125))));
    let sent = 0;
    // TCP takes some MiB on both ways.
    while (sent < 64 * 1024 * 1024 && socket.stream.write(ping)) {
      sent += ping.length;
      await new Promise(setImmediate);
    }
    expect(sent).toBeLessThan(64 * 1024 * 1024);
    socket.stream.resume();
    await once(socket.stream, 'drain');
  });

  test('a drain closes with 1001', async () => {
    const other = await startService(CONNECT, '--drain-timeout=5');
    const socket = await openWebSocket(transport, other.port);
    socket.send(frame(1, 'a'));
    await socket.received(1);
    const [aborted] = await Promise.all([
      other.service.drain(),
      socket.ended.then(() => socket.stream.end()),
    ]);
    expect(await socket.closed()).toBe('1001 wirebin is shutting down');
    expect(aborted).toBe(0);
  });
}, CONNECT);
