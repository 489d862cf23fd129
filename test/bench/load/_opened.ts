import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';
import { Input } from '../../../src/bench/load/input.ts';

/** Connects to a server that does this with the connection. @returns what a connection of a load is made of */
export async function openTo(onConnection: (server: Socket) => void) {
  const server = createServer((accepted) => {
    accepted.on('error', () => undefined);
    onConnection(accepted);
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const input = new Input();
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true, onread: input.onread });
  socket.on('error', () => undefined);
  onTestFinished(() => void socket.destroy());
  await once(socket, 'connect');
  return { input, socket, opened: { stream: socket, tcp: socket, tls: undefined } };
}
