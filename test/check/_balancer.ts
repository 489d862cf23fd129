import { connect, createServer } from 'node:net';
import { listening, type Proxy } from './_gateway-server.ts';
import { tunnel } from './_relay.ts';

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
    tunnel(client, origin);
  });
  return listening(server, 'http');
}
