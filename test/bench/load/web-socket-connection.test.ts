import type { Socket } from 'node:net';
import { expect, test } from 'vitest';
import { openWebSocket, prepareMessage } from '../../../src/bench/load/web-socket-connection.ts';
import { acceptKey } from '../../../src/http/websocket.ts';
import { encodeFrame, Opcode } from '../../../src/wire/websocket/frame.ts';
import { openTo } from './_opened.ts';
import { REQUEST } from './_request.ts';

const content = Buffer.from('0123456789');
const request = { ...REQUEST, isWebSocket: true, content };
const frameOf = (opcode: number, bytes = content): Buffer =>
  encodeFrame({ isFinal: true, opcode, content: bytes });

/** Opens a WebSocket to a server that responds to the handshake, and to all further bytes. */
async function open(
  handshake: (head: string) => string | Buffer,
  respond: (server: Socket) => void = () => undefined,
  time = 30_000,
) {
  const { input, opened } = await openTo((server) => {
    server.once('data', (head: Buffer) => {
      server.write(handshake(head.toString('latin1')));
      server.on('data', () => respond(server));
    });
  });
  const connection = await openWebSocket(opened, input, request, time);
  return {
    connection,
    send: () =>
      new Promise<string | undefined>((resolve) => {
        connection.send(prepareMessage(request), resolve);
      }),
  };
}

function switching(head: string): string {
  const [, key = ''] = /sec-websocket-key: (.*)\r\n/i.exec(head) ?? [];
  return `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${acceptKey(key)}\r\n\r\n`;
}

test('messages, one after the other', async () => {
  const { send, connection } = await open(switching, (server) =>
    server.write(frameOf(Opcode.binary)),
  );
  for (let count = 0; count < 3; count++) expect(await send()).toBeUndefined();
  expect(connection.isOpen).toBe(true);
});

test.each<[string, string, (server: Socket) => void]>([
  [
    'other content',
    'wrong content',
    (server) => void server.write(frameOf(Opcode.binary, Buffer.of(1))),
  ],
  [
    'Close',
    'connection closed',
    (server) => void server.write(frameOf(Opcode.close, Buffer.alloc(0))),
  ],
  ['the end', 'connection closed', (server) => void server.end()],
  ['a reset', 'connection reset', (server) => void server.resetAndDestroy()],
  [
    'a masked frame',
    'malformed WebSocket: a frame is masked',
    (server) => void server.write(Buffer.of(0x82, 0x80, 0, 0, 0, 0)),
  ],
])('%s: %s', async (_, failure, respond) => {
  const { send } = await open(switching, respond);
  expect(await send()).toBe(failure);
});

test('a message that was not asked for ends the connection, before it is taken for an echo', async () => {
  const { connection } = await open((head) =>
    Buffer.concat([Buffer.from(switching(head)), frameOf(Opcode.binary)]),
  );
  await expect.poll(() => connection.isOpen).toBe(false);
});

test.each([
  ['status 404', 'HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n'],
  ['wrong Sec-WebSocket-Accept', 'HTTP/1.1 101 A\r\nSec-WebSocket-Accept: a\r\n\r\n'],
  ['malformed response', 'x'.repeat(300_000)],
])('no WebSocket: %s', async (failure, response) => {
  await expect(open(() => response)).rejects.toThrow(failure);
});

test('a handshake without a response ends in time', async () => {
  await expect(open(() => '', undefined, 20)).rejects.toThrow('timeout');
});
