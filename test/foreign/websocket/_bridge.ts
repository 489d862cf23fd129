import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';
import type { ClientHttp2Session } from 'node:http2';
import { acceptKey } from '../../../src/http/websocket.ts';
import { connectHttp2 } from '../../../src/net/http2-sessions.ts';

/** Takes WebSockets on HTTP/1.1, and opens each on HTTP/2 by extended CONNECT (RFC 8441). Frames pass unread. */
export async function bridge(port: number): Promise<{ readonly port: number; close(): void }> {
  const session = connectHttp2(`http://127.0.0.1:${port}`);
  await once(session, 'remoteSettings');
  const server = createServer({ noDelay: true }, (socket) => {
    socket.once('data', (head: Buffer) => pass(session, socket, head.toString('latin1')));
    socket.on('error', () => undefined);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { port: portOf(server), close: () => void server.close(() => session.destroy()) };
}

function portOf(server: Server): number {
  const address = server.address();
  return typeof address === 'object' && address ? address.port : 0;
}

/** @param head the request, which comes in one piece */
function pass(session: ClientHttp2Session, socket: Socket, head: string): void {
  const field = (name: string): string | undefined =>
    new RegExp(`^${name}: *(.*?)\r$`, 'im').exec(head)?.[1];
  const offer = field('sec-websocket-extensions');
  const stream = session.request({
    ':method': 'CONNECT',
    ':protocol': 'websocket',
    ':path': head.split(' ')[1] ?? '',
    'sec-websocket-version': '13',
    ...(offer !== undefined && { 'sec-websocket-extensions': offer }),
  });
  stream.on('error', () => socket.destroy());
  socket.on('close', () => stream.close());
  stream.on('response', (fields) => {
    const accepted = fields['sec-websocket-extensions'];
    const lines = [
      'HTTP/1.1 101 Switching Protocols',
      'Connection: Upgrade',
      'Upgrade: websocket',
      `Sec-WebSocket-Accept: ${acceptKey(field('sec-websocket-key') ?? '')}`,
      ...(accepted === undefined ? [] : [`Sec-WebSocket-Extensions: ${accepted}`]),
    ];
    socket.write(`${lines.join('\r\n')}\r\n\r\n`);
    socket.pipe(stream).pipe(socket);
  });
}
