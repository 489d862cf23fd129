import { once } from 'node:events';
import { afterEach, describe, expect, test } from 'vitest';
import { encodeFrame, Opcode } from '../../src/wire/websocket/frame.ts';
import { isHttp2, isSecure } from '../_client.ts';
import { everywhere, overBothProtocols } from '../_everywhere.ts';
import { converse, exchange, GET, LAST, openSocket, POST } from '../_raw.ts';
import { startService } from '../_service.ts';
import { closeWebSockets, frame, HANDSHAKE, KEY, MASK, openWebSocket } from '../_websocket.ts';

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

  // More than Node reads at a time.
  const MESSAGE = { isFinal: true, opcode: Opcode.binary, content: Buffer.alloc(100_000) };
  const FRAMES = Buffer.concat([encodeFrame(MESSAGE, MASK), frame(Opcode.close)]);
  const ECHOED = `${encodeFrame(MESSAGE).toString('latin1')}\u0088\0`;
  const CONTENT = 'x'.repeat(50_000);
  test.each([
    ['one behind another request', 'http/1.1', [GET('/status/204')]],
    ['one behind a response that takes a while', 'http/1.1', [GET('/delay/0.1')]],
    ['the same over TLS', 'https/1.1', [GET('/delay/0.1')]],
    ['one behind content', 'http/1.1', [POST('/post', 'Content-Length: 50000\r\n', CONTENT)]],
    [
      'one that waits for its turn',
      'http/1.1',
      Array.from({ length: 40 }, () => GET('/delay/0.1')),
    ],
    [
      'one behind large responses',
      'http/1.1',
      Array.from({ length: 2 }, () => GET('/bytes/2000000')),
    ],
  ] as const)('nor are those of %s', async (_, transport, requests) => {
    const { port } = await startService();
    const socket = await openSocket(port, isSecure(transport) ? ['http/1.1'] : undefined);
    const head = Buffer.from([...requests, GET('/websocket/echo', HANDSHAKE)].join(''));
    const received = await converse(socket, Buffer.concat([head, FRAMES]));
    expect(received.match(/HTTP\/1\.1 (?:200|204) /g)).toHaveLength(requests.length);
    const [, echoed] = received.slice(received.indexOf('HTTP/1.1 101 ')).split('\r\n\r\n');
    expect(echoed === ECHOED).toBe(true);
  });

  test('nor are those of many at once, which take turns in being read', async () => {
    const { port } = await startService();
    const head = `${GET('/anything').repeat(30)}${GET('/websocket/echo', HANDSHAKE)}`;
    const bytes = Buffer.concat([Buffer.from(head), FRAMES]);
    const sockets = await Promise.all(Array.from({ length: 50 }, () => openSocket(port)));
    const received = await Promise.all(sockets.map((socket) => converse(socket, bytes)));
    expect(received.filter((text) => text.endsWith(ECHOED))).toHaveLength(sockets.length);
  });

  everywhere(
    ({ transport, running }) => {
      test('nor are those of one that --chaos delays', async () => {
        const ahead = FRAMES;
        const socket = await openWebSocket(transport, running().port, undefined, { ahead });
        const frames = await socket.received(2);
        expect(frames.map(({ opcode }) => opcode)).toEqual([Opcode.binary, Opcode.close]);
      });

      test('a client that has ended before the response is not waited for', async () => {
        const socket = await openWebSocket(transport, running().port, undefined, { ends: true });
        expect(await socket.closed()).toBe('no Close frame');
      });
    },
    CONNECT,
    '--chaos',
    'delay=0.1:100%',
  );

  test('one that llhttp does not recognize leaves other connections alone', async () => {
    const { port } = await startService();
    const tab = HANDSHAKE.replace('Connection: Upgrade', 'Connection: Upgrade\t');
    const open = async (fields: string): Promise<string> => {
      const head = Buffer.from(GET('/websocket/echo', fields));
      return converse(await openSocket(port), Buffer.concat([head, FRAMES]));
    };
    // llhttp of Node 20 parses the frames as the next request.
    const received = await open(tab);
    expect(received === '' || received.endsWith(ECHOED)).toBe(true);
    expect((await open(HANDSHAKE)).endsWith(ECHOED)).toBe(true);
  });

  test('a refused one leaves HTTP', async () => {
    const { port } = await startService();
    const received = await exchange(port, `GET /websocket/echo HTTP/1.1\r\nHost: x\r\n${LAST}\r\n`);
    expect(received).toMatch(/^HTTP\/1\.1 426 .*"detail": "the request does not ask for/s);
  });
});
