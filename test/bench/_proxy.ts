import type { Socket } from 'node:net';
import { startForwarder } from '../_forwarder.ts';

/** What a proxy does with a piece of a response to a request of a load. */
export type Act = (client: Socket, piece: Buffer, connection: number) => void;

/**
 * Starts a proxy that forwards bytes on a connection to the origin for each of its own.
 *
 * @param act in place of sending the piece to the client; `connection` counts those of loads, from 1
 */
export async function startProxy(originPort: number, act: Act) {
  let connections = 0;
  const { port, close } = await startForwarder(originPort, (client) => {
    let connection = 0;
    client.on('data', (piece: Buffer) => {
      const isLoad = piece.includes('User-Agent: wirebin-bench/');
      if (isLoad && connection === 0) connection = ++connections;
    });
    return (piece) => {
      if (connection === 0) client.write(piece);
      else act(client, piece, connection);
    };
  });
  return { url: `http://127.0.0.1:${port}`, close };
}
