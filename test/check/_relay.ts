import { connect, createServer, type Socket } from 'node:net';
import { resetOrClose } from '../_raw.ts';
import { listening, type Proxy } from './_gateway-server.ts';

/** What a relay does wrong. */
export interface RelayFault {
  /** Changes what a client sends. */
  readonly request?: (piece: Buffer) => Buffer;
  /** Changes what the origin sends. */
  readonly response?: (piece: Buffer) => Buffer;
  /** What it sends in place of the origin. */
  readonly answers?: (piece: Buffer) => string | undefined;
  /** Whether it opens another connection to the origin for each piece. */
  readonly reconnects?: boolean;
}

/** Forwards bytes, FIN and RST both ways. */
export function tunnel(client: Socket, origin: Socket): void {
  for (const [from, to] of [
    [client, origin],
    [origin, client],
  ] as const) {
    from.pipe(to);
    from.on('error', () => resetOrClose(to));
    from.on('close', () => to.destroy());
  }
}

/** Starts a tunnel: bytes, FIN and RST are forwarded as they come. */
export function startRelay(
  originPort: number,
  scheme: 'http' | 'https',
  fault: RelayFault = {},
): Promise<Proxy> {
  const open = (): Socket =>
    connect({ port: originPort, host: '127.0.0.1', allowHalfOpen: true, noDelay: true });
  const server = createServer({ allowHalfOpen: true, noDelay: true }, (client) => {
    if (Object.keys(fault).length > 0) return relayWrongly(client, open, fault);
    tunnel(client, open());
  });
  return listening(server, scheme);
}

function relayWrongly(client: Socket, open: () => Socket, fault: RelayFault): void {
  const { request, response, answers, reconnects = false } = fault;
  let origin: Socket | undefined;
  client.on('data', (piece: Buffer) => {
    const answer = answers?.(piece);
    if (answer !== undefined) {
      client.end(answer);
      return;
    }
    if (reconnects || !origin) {
      const opened = open();
      opened.on('data', (received: Buffer) => client.write(response?.(received) ?? received));
      opened.on('error', () => client.destroy());
      origin?.destroy();
      origin = opened;
    }
    origin.write(request?.(piece) ?? piece);
  });
  client.on('error', () => undefined).on('close', () => origin?.destroy());
}
