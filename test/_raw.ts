import { connect, type Socket } from 'node:net';
import tls from 'node:tls';

/** A socket to the service, in clear or over TLS with the given ALPN list. */
export async function openSocket(port: number, alpn?: string[]): Promise<Socket> {
  const socket =
    alpn === undefined
      ? connect({ port, host: '127.0.0.1', allowHalfOpen: true })
      : tls.connect({ port, host: '127.0.0.1', ALPNProtocols: alpn, rejectUnauthorized: false });
  await new Promise<void>((resolve, reject) => {
    socket.once(alpn === undefined ? 'connect' : 'secureConnect', () => resolve());
    socket.once('error', reject);
  });
  socket.on('error', () => undefined);
  return socket;
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

/** Sends bytes on a fresh clear connection and gives all that comes until the server closes. */
export async function exchange(port: number, bytes: string | Uint8Array): Promise<string> {
  const socket = await openSocket(port);
  const received = await converse(socket, bytes);
  socket.destroy();
  return received;
}

/** The status of the response that starts the text. */
export function statusOf(response: string): number {
  return Number(/^HTTP\/1\.1 (\d{3}) /.exec(response)?.[1]);
}
