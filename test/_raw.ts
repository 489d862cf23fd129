import { connect, type Socket } from 'node:net';
import { Duplex } from 'node:stream';
import tls from 'node:tls';

const opened = new Set<Socket>();

/** Destroys the sockets that tests have left open. */
export function destroySockets(): void {
  for (const socket of opened) socket.destroy();
}

/** A socket to the service, in clear or over TLS with the given ALPN list; an empty one sends none. */
export async function openSocket(port: number, alpn?: string[]): Promise<Socket> {
  return (await openPair(port, alpn)).socket;
}

/** The same, and the TCP socket below it, which alone can be reset. */
export async function openPair(
  port: number,
  alpn?: string[],
): Promise<{ readonly clear: Socket; readonly socket: Socket }> {
  const clear = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
  opened.add(clear);
  clear.once('close', () => opened.delete(clear));
  const socket =
    alpn === undefined
      ? clear
      : tls.connect({
          socket: clear,
          rejectUnauthorized: false,
          ...(alpn.length > 0 && { ALPNProtocols: alpn }),
        });
  await new Promise<void>((resolve, reject) => {
    socket.once(alpn === undefined ? 'connect' : 'secureConnect', () => resolve());
    socket.once('error', reject);
  });
  socket.on('error', () => undefined);
  return { clear, socket };
}

/** Sends bytes (a string is latin1) and reads until the server closes, or `until` is satisfied. */
export function converse(
  socket: Socket,
  bytes: string | Uint8Array,
  until: (received: string) => boolean = () => false,
): Promise<string> {
  return new Promise((resolve) => {
    let received = '';
    const done = (): void => resolve(received);
    socket.on('data', (chunk: Buffer) => {
      received += chunk.toString('latin1');
      if (until(received)) done();
    });
    socket.on('end', done).on('close', done);
    socket.write(typeof bytes === 'string' ? Buffer.from(bytes, 'latin1') : bytes);
  });
}

/** A stream whose bytes go to the socket one at a time, each in a segment of its own. */
export function byteByByte(socket: Socket): Duplex {
  socket.setNoDelay();
  // Bytes may still be sent after the server has closed the connection.
  socket.on('error', () => undefined);
  const slow = new Duplex({
    read: () => undefined,
    write(chunk: Buffer, _encoding, done) {
      const send = (at: number): void => {
        if (at === chunk.length || socket.destroyed) {
          done();
          return;
        }
        socket.write(chunk.subarray(at, at + 1));
        setImmediate(send, at + 1);
      };
      send(0);
    },
    final: (done) => socket.end(done),
    destroy: (error, done) => done(socket.destroy() && error),
  });
  socket.on('data', (chunk: Buffer) => slow.push(chunk)).on('end', () => slow.push(null));
  return slow;
}

/** Sends bytes on a fresh connection and gives all that comes until the server closes. */
export async function exchange(
  port: number,
  bytes: string | Uint8Array,
  alpn?: string[],
): Promise<string> {
  const socket = await openSocket(port, alpn);
  const received = await converse(socket, bytes);
  socket.destroy();
  return received;
}

/** The statuses of all responses in the text, whose contents hold no such line. */
export function statusesOf(responses: string): number[] {
  return [...responses.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status));
}

/** The bytes of a GET, with further field lines. */
export function GET(path: string, fields = ''): string {
  return `GET ${path} HTTP/1.1\r\nHost: x\r\n${fields}\r\n`;
}

/** The bytes of a POST, with further field lines and content. */
export function POST(path: string, fields: string, content = ''): string {
  return `POST ${path} HTTP/1.1\r\nHost: x\r\n${fields}\r\n${content}`;
}

/** The field line of a connection's last request. */
export const LAST = 'Connection: close\r\n';

/**
 * Resets a connection, or closes it if its side has ended: then libuv refuses to reset it, and Node leaves it open.
 *
 * @param stream what is written to, such as the TLS socket above it
 */
export function resetOrClose(tcp: Socket, stream: Duplex = tcp): void {
  if (stream.writableEnded) tcp.destroy();
  else tcp.resetAndDestroy();
}
