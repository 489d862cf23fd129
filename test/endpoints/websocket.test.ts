import { once } from 'node:events';
import { afterEach, describe, expect, test } from 'vitest';
import { Opcode } from '../../src/wire/websocket/frame.ts';
import { isHttp2 } from '../_client.ts';
import { everywhere, overBothProtocols } from '../_everywhere.ts';
import { converse, exchange, LAST, openSocket } from '../_raw.ts';
import { startService } from '../_service.ts';
import { closeWebSockets, frame, HANDSHAKE, KEY, openWebSocket } from '../_websocket.ts';

afterEach(closeWebSockets);

const CONNECT = '--h2-enable-connect-protocol';

describe('the handshake', () => {
  overBothProtocols(({ transport, running, client }) => {
    if (transport === 'http/1.1')
      test.each([
        ['GET', { Upgrade: 'h2c' }, 426, 'Upgrade: websocket'],
        ['GET', { Connection: 'close' }, 426, 'Upgrade: websocket'],
        ['GET', { 'Sec-WebSocket-Version': '8' }, 426, 'Sec-WebSocket-Version: 13'],
        ['HEAD', {}, 426, 'Upgrade: websocket'],
        ['GET', { 'Sec-WebSocket-Key': 'YQ==' }, 400, ''],
        ['GET', { 'Content-Length': '1' }, 400, ''],
      ])('%s with %j: %d', async (method, wrong, status, expected) => {
        const fields = {
          Connection: 'Upgrade',
          Upgrade: 'websocket',
          'Sec-WebSocket-Version': '13',
          'Sec-WebSocket-Key': KEY,
          ...wrong,
        };
        const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}\r\n`);
        const request = `${method} /websocket/echo HTTP/1.1\r\nHost: x\r\n${lines.join('')}\r\nx`;
        const received = await exchange(running().port, request);
        expect(received).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
        expect(received).toContain(expected);
      });

    test('without one: 426, with Upgrade on HTTP/1.1', async () => {
      const { status, headers } = await client().request('/websocket/echo');
      expect(status).toBe(426);
      expect(headers.upgrade).toBe(isHttp2(transport) ? undefined : 'websocket');
      expect(headers['sec-websocket-version']).toBe('13');
    });

    if (isHttp2(transport))
      test.each(['/get', '/anything/a', '/no'])(
        'RFC 8441 4: CONNECT to %s is refused',
        async (target) => {
          const opening = openWebSocket(transport, running().port, target);
          await expect(opening).rejects.toThrow(target === '/no' ? '404' : '501');
        },
      );
  }, CONNECT);

  test('waits for the responses before it, and selects the first subprotocol', async () => {
    const { port } = await startService();
    const handshake = `${HANDSHAKE}Sec-WebSocket-Protocol: a, b\r\n`;
    const requests =
      `GET /delay/0.1 HTTP/1.1\r\nHost: x\r\n\r\n` +
      `GET /websocket/echo HTTP/1.1\r\nHost: x\r\n${handshake}\r\n`;
    const socket = await openSocket(port);
    socket.write(requests);
    let received = '';
    socket.setEncoding('latin1').on('data', (piece: string) => {
      received += piece;
      if (received.endsWith('\r\n\r\n') && received.includes('101')) {
        socket.write(frame(Opcode.close));
      }
    });
    await once(socket, 'end');
    expect(received).toMatch(/^HTTP\/1\.1 200 .*HTTP\/1\.1 101 .*\r\n\r\n\x88\0$/s);
    expect(received).toContain('Sec-WebSocket-Protocol: a\r\n');
  });

  everywhere(({ transport, running }) => {
    test('RFC 6455 4.1: frames that are sent with it are not lost', async () => {
      const ahead = Buffer.concat([
        frame(Opcode.text, 'a'),
        frame(Opcode.binary, 'b'.repeat(70_000)),
      ]);
      const socket = await openWebSocket(transport, running().port, undefined, { ahead });
      socket.send(frame(Opcode.text, 'c'));
      const frames = await socket.received(3);
      expect(frames.map(({ content }) => content.length)).toEqual([1, 70_000, 1]);
      expect(frames[2]?.content.toString()).toBe('c');
    });
  }, CONNECT);

  test('nor are those of a later request of the connection', async () => {
    const { port } = await startService();
    const socket = await openSocket(port);
    await converse(socket, 'GET /status/204 HTTP/1.1\r\nHost: x\r\n\r\n', (text) =>
      text.endsWith('\r\n\r\n'),
    );
    socket.removeAllListeners('data').setEncoding('latin1');
    const head = `GET /websocket/echo HTTP/1.1\r\nHost: x\r\n${HANDSHAKE}\r\n`;
    socket.write(Buffer.concat([Buffer.from(head), frame(Opcode.text, 'a'), frame(Opcode.close)]));
    let received = '';
    socket.on('data', (piece: string) => {
      received += piece;
    });
    await once(socket, 'end');
    expect(received).toMatch(/^HTTP\/1\.1 101 /);
    expect(received.split('\r\n\r\n')[1]).toBe('\u0081\u0001a\u0088\0');
  });

  test('a refused one leaves HTTP', async () => {
    const { port } = await startService();
    const received = await exchange(port, `GET /websocket/echo HTTP/1.1\r\nHost: x\r\n${LAST}\r\n`);
    expect(received).toMatch(/^HTTP\/1\.1 426 .*"detail": "the request does not ask for/s);
  });
});
