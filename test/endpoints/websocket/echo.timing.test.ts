import { afterAll, expect, test } from 'vitest';
import { Opcode } from '../../../src/wire/websocket/frame.ts';
import { overBothProtocolsAtOnce } from '../../_everywhere.ts';
import { closeWebSockets, frame, openWebSocket } from '../../_websocket.ts';

// After each, it would close that of the test beside it.
afterAll(closeWebSockets);

const SETTINGS = ['--idle-timeout=1', '--h2-enable-connect-protocol'];

overBothProtocolsAtOnce(({ transport, running }) => {
  test('a WebSocket is closed when nothing has arrived for --idle-timeout', async () => {
    const socket = await openWebSocket(transport, running().port);
    const start = performance.now();
    setTimeout(() => socket.send(frame(Opcode.pong)), 600);
    expect(await socket.closed()).toBe('1001 nothing has arrived for 1 s');
    expect(performance.now() - start).toBeGreaterThan(1500);
  });

  test('Pongs count as what arrives', async () => {
    const socket = await openWebSocket(transport, running().port, '/websocket/echo?ping=400ms');
    for (let count = 0; count < 5; count++) {
      const [ping] = await socket.received(1);
      expect(ping?.opcode).toBe(Opcode.ping);
      socket.send(frame(Opcode.pong));
    }
    expect(await socket.closed()).toBe('1001 nothing has arrived for 1 s');
  });

  test('one that stalls is reset then, without a Close', async () => {
    const socket = await openWebSocket(transport, running().port, '/websocket/echo?stall');
    expect(await socket.closed()).toBe('no Close frame');
  });
}, SETTINGS);
