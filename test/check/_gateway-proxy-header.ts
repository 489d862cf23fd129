import type { Socket } from 'node:net';
import { parseProxyHeader } from '../../src/wire/proxy-protocol/read.ts';

/** Bytes of a header, and the client that it names; `more` waits for more bytes. */
type ProxyHeaderRead =
  | { readonly length: number; readonly address?: string; readonly port?: number }
  | 'more'
  | 'invalid';

/** Reads a PROXY header from the first bytes of a connection. */
export type ReadProxyHeader = (bytes: Buffer) => ProxyHeaderRead;

/** Reads any valid header. */
export function readProxyHeader(bytes: Buffer): ProxyHeaderRead {
  const parsed = parseProxyHeader(bytes);
  switch (parsed.kind) {
    case 'more':
      return 'more';
    case 'invalid':
      return 'invalid';
    case 'header': {
      const { source } = parsed.header;
      const { length } = parsed;
      return source && 'address' in source
        ? { length, address: source.address, port: source.port }
        : { length };
    }
  }
}

export interface Client {
  readonly address: string;
  readonly port: number;
}

/** Takes the header off a connection; closes it if there is none, or it is malformed. */
export function takeProxyHeader(
  socket: Socket,
  read: ReadProxyHeader,
  serve: (socket: Socket, client: Client | undefined) => void,
): void {
  let bytes = Buffer.alloc(0);
  const onReadable = (): void => {
    const piece: Buffer | null = socket.read();
    if (!piece) return;
    bytes = Buffer.concat([bytes, piece]);
    const header = read(bytes);
    if (header === 'more') return;
    socket.off('readable', onReadable);
    if (header === 'invalid') {
      socket.destroy();
      return;
    }
    socket.unshift(bytes.subarray(header.length));
    const { address, port = 0 } = header;
    serve(socket, address === undefined ? undefined : { address, port });
  };
  socket.on('error', () => undefined);
  socket.on('readable', onReadable);
}
