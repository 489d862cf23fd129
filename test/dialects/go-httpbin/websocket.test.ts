import { afterEach, expect, test } from 'vitest';
import { Opcode } from '../../../src/wire/websocket/frame.ts';
import { overBothProtocols } from '../../_everywhere.ts';
import { startService } from '../../_service.ts';
import { closeWebSockets, frame, HANDSHAKE, openWebSocket } from '../../_websocket.ts';
import { handshakes, messages, outcomeOf } from './_websockets.ts';

afterEach(closeWebSockets);

const SETTINGS = ['--dialect=go-httpbin', '--max-body-size=1024', '--h2-enable-connect-protocol'];

test.each([...handshakes, ...messages])('?%s, %j, %j: %s', async (...row) => {
  const { port } = await startService(...SETTINGS);
  expect(await outcomeOf(port, row)).toBe(row[3]);
});

const part = frame(Opcode.continuation, 'x'.repeat(500), false);

// The original names the size that was sent, too.
test.each([
  ['frame', [frame(2, 'x'.repeat(513))], '1009 frame too large: more than 512 bytes'],
  [
    'message',
    [frame(2, '', false), part, part, part],
    '1009 message too large: more than 1024 bytes',
  ],
  ['Ping', [frame(9, 'x'.repeat(126))], '1002 invalid control frame: it is too long'],
  ['fragmented Ping', [frame(9, '', false)], '1002 invalid control frame: it is fragmented'],
])('a %s that is refused', async (_, frames, reason) => {
  const { port } = await startService(...SETTINGS);
  expect(await outcomeOf(port, ['', HANDSHAKE, frames, ''])).toBe(`close ${reason}`);
});

overBothProtocols(({ transport, running }) => {
  test('a message comes back in frames of max_fragment_size', async () => {
    const target = '/websocket/echo?max_fragment_size=3';
    const socket = await openWebSocket(transport, running().port, target);
    // A character may be divided between fragments. The original refuses it, and never ends a message of several frames.
    socket.send(frame(Opcode.text, 'a\u00e9', false), frame(Opcode.continuation, 'bcd'), frame(8));
    expect(await socket.closed()).toBe('1000 ');
    expect(
      socket.frames.map(({ opcode, isFinal, content }) => [opcode, isFinal, content.toString()]),
    ).toEqual([
      [1, false, 'a\u00e9'],
      [0, true, 'bcd'],
      [8, true, '\u0003\ufffd'],
    ]);
  });
}, SETTINGS);
