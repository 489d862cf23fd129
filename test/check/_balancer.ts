import { connect, createServer } from 'node:net';
import { listening, type Proxy } from './_gateway-server.ts';

/**
 * Starts a relay that distributes connections.
 *
 * @param portOf the port for a connection, by its number from 0
 */
export function startBalancer(portOf: (connection: number) => number): Promise<Proxy> {
  let connections = 0;
  const server = createServer({ allowHalfOpen: true, noDelay: true }, (client) => {
    const origin = connect({
      port: portOf(connections++),
      host: '127.0.0.1',
      allowHalfOpen: true,
      noDelay: true,
    });
    for (const [from, to] of [
      [client, origin],
      [origin, client],
    ] as const) {
      from.pipe(to);
      from.on('error', () => to.resetAndDestroy());
      from.on('close', () => to.destroy());
    }
  });
  return listening(server, 'http');
}
