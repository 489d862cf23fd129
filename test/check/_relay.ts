import { connect, createServer } from 'node:net';
import { listening, type Proxy } from './_gateway-server.ts';

/** Starts a tunnel: bytes, FIN and RST are forwarded as they come. */
export function startRelay(originPort: number, scheme: 'http' | 'https'): Promise<Proxy> {
  const server = createServer({ allowHalfOpen: true, noDelay: true }, (client) => {
    const origin = connect({
      port: originPort,
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
  return listening(server, scheme);
}
