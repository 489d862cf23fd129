import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

export interface Forwarder {
  readonly port: number;
  /** Also destroys its connections. */
  readonly close: () => Promise<void>;
}

/**
 * Called with both sockets of a connection. Its listeners get each piece before it is passed on.
 *
 * @param closed fulfilled when both are closed
 * @returns what is called in place of sending a piece of the server to the client
 */
export type Opened = (
  client: Socket,
  server: Socket,
  closed: Promise<unknown>,
) => ((piece: Buffer) => void) | void;

/** Passes bytes and FIN on both ways, on a connection to the port for each of its own. */
export async function startForwarder(to: number, opened: Opened): Promise<Forwarder> {
  const sockets = new Set<Socket>();
  const listener = createServer({ allowHalfOpen: true, noDelay: true }, (client) => {
    const server = connect({ port: to, host: '127.0.0.1', allowHalfOpen: true, noDelay: true });
    const closed = [client, server].map(
      (each) => new Promise((resolve) => each.once('close', resolve)),
    );
    const respond = opened(client, server, Promise.all(closed));
    client.pipe(server);
    if (respond) server.on('data', respond).on('end', () => client.end());
    else server.pipe(client);
    for (const [one, other] of [
      [client, server],
      [server, client],
    ] as const) {
      sockets.add(one);
      one.on('error', () => undefined);
      one.on('close', () => {
        sockets.delete(one);
        other.end();
        // Its listeners get what it still sends.
        other.resume();
      });
    }
  });
  await new Promise<void>((resolve) => void listener.listen(0, '127.0.0.1', resolve));
  return {
    port: (listener.address() as AddressInfo).port,
    close: () =>
      new Promise((resolve) => {
        listener.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}
