import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

/** What a proxy does with a piece of a response to a request of a load. */
export type Act = (client: Socket, piece: Buffer, connection: number) => void;

export interface RunningProxy {
  readonly url: string;
  close(): Promise<void>;
}

/**
 * Starts a proxy that forwards bytes on a connection to the origin for each of its own.
 *
 * @param act in place of sending the piece to the client; `connection` counts those of loads, from 1
 */
export async function startProxy(originPort: number, act: Act): Promise<RunningProxy> {
  const sockets = new Set<Socket>();
  let connections = 0;
  const server = createServer({ noDelay: true }, (client) => {
    const origin = connect({ port: originPort, host: '127.0.0.1', noDelay: true });
    let connection = 0;
    client.on('data', (piece: Buffer) => {
      const isLoad = piece.includes('User-Agent: wirebin-bench/');
      if (isLoad && connection === 0) connection = ++connections;
      origin.write(piece);
    });
    origin.on('data', (piece: Buffer) => {
      if (connection === 0) client.write(piece);
      else act(client, piece, connection);
    });
    for (const [from, to] of [
      [client, origin],
      [origin, client],
    ] as const) {
      sockets.add(from);
      from
        .on('error', () => undefined)
        .on('close', () => {
          sockets.delete(from);
          to.destroy();
        });
    }
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}
