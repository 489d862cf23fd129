import { EventEmitter, once } from 'node:events';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';
import { openSocket } from '../_raw.ts';

/** Hands the sockets of a port to `accept`, as the listener does. */
export async function listen(accept: (socket: Socket) => void): Promise<number> {
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    socket.on('error', () => undefined);
    accept(socket);
  }).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return port;
}

/** A client's socket and the server's, until the test ends. */
export async function socketPair(): Promise<readonly [client: Socket, server: Socket]> {
  const accepted = new EventEmitter();
  const port = await listen((socket) => accepted.emit('socket', socket));
  const [client, [server]] = await Promise.all([openSocket(port), once(accepted, 'socket')]);
  onTestFinished(() => {
    client.destroy();
    (server as Socket).destroy();
  });
  return [client, server as Socket];
}
