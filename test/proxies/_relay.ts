import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

/** A connection of a proxy to wirebin, as a witness between the two saw it. */
export interface Witnessed {
  /** What the proxy has sent so far. */
  readonly sent: () => Buffer;
  /** What wirebin has answered so far. */
  readonly answered: () => Buffer;
  /** How wirebin has ended it; undefined if it has not. */
  readonly ended: () => 'fin' | 'rst' | undefined;
  /** The address that wirebin sees. */
  readonly peer: () => string;
}

export interface Relay {
  readonly port: number;
  /** In the order in which they were opened. */
  readonly witnessed: readonly Witnessed[];
  /** One of them. @throws where there are not so many */
  witness(at: number): Witnessed;
  close(): void;
}

/** Passes every byte on as it is, and keeps it. */
export async function startRelay(to: number): Promise<Relay> {
  const witnessed: Witnessed[] = [];
  const sockets = new Set<Socket>();
  const server = createServer({ allowHalfOpen: true }, (proxy) => {
    const wirebin = connect({ port: to, host: '127.0.0.1', allowHalfOpen: true });
    let peer = '';
    let ended: 'fin' | 'rst' | undefined;
    wirebin.once('end', () => (ended ??= 'fin')).once('error', () => (ended ??= 'rst'));
    wirebin.once('connect', () => {
      peer = `${wirebin.localAddress}:${wirebin.localPort}`;
    });
    witnessed.push({
      sent: kept(proxy),
      answered: kept(wirebin),
      ended: () => ended,
      peer: () => peer,
    });
    proxy.pipe(wirebin);
    wirebin.pipe(proxy);
    for (const [one, other] of [
      [proxy, wirebin],
      [wirebin, proxy],
    ] as const) {
      sockets.add(one);
      one.setNoDelay();
      one.on('error', () => undefined);
      one.on('close', () => {
        sockets.delete(one);
        // What it still sends is kept too.
        other.end();
        other.resume();
      });
    }
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  const close = (): void => {
    server.close();
    for (const socket of sockets) socket.destroy();
  };
  const witness = (at: number): Witnessed => {
    const found = witnessed[at];
    if (!found) throw new Error(`there were ${witnessed.length} connections`);
    return found;
  };
  return { port, witnessed, witness, close };
}

function kept(socket: Socket): () => Buffer {
  const chunks: Buffer[] = [];
  socket.on('data', (chunk: Buffer) => chunks.push(chunk));
  return () => Buffer.concat(chunks);
}
