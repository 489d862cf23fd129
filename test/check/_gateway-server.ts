import { createServer as createHttp2Server, type ServerHttp2Stream } from 'node:http2';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import { FrameRewriter } from './_frame-rewriter.ts';
import { Forwarder } from './_gateway.ts';
import { serveHttp1 } from './_gateway-http1.ts';
import { serveHttp2 } from './_gateway-http2.ts';
import type { Deviation } from './_gateway-messages.ts';
import { OriginConnector, type OriginTls } from './_gateway-origin.ts';
import { tlsServer } from './_gateway-tls.ts';

export interface Proxy {
  readonly url: URL;
  close(): Promise<void>;
}

export interface ProxyOptions {
  readonly originPort: number;
  /** Serves TLS with this certificate; without it, cleartext. */
  readonly credentials?: { readonly cert: string; readonly key: string } | undefined;
  /** Connects to the origin by TLS; without it, in cleartext. */
  readonly originTls?: OriginTls | undefined;
}

const PREFACE = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n');
const MAX_FIELDS = 2000;

/**
 * Starts a gateway to a wirebin: HTTP/1.1 and HTTP/2 at the front, HTTP/1.1 at the back.
 *
 * @param deviation what it does wrong; nothing by default
 */
export async function startGateway(
  options: ProxyOptions,
  deviation: Deviation = {},
): Promise<Proxy> {
  const originTls = deviation.originTls ?? options.originTls;
  const connector = new OriginConnector(options.originPort, originTls);
  const forwarder = new Forwarder(connector, deviation);
  const http2 = createHttp2Server({
    maxHeaderListPairs: MAX_FIELDS,
    settings: {
      maxHeaderListSize: 256 * 1024,
      enableConnectProtocol: false,
      ...deviation.settings,
    },
    maxSendHeaderBlockLength: 1024 * 1024,
  });
  http2.on('sessionError', () => undefined);
  http2.on('session', (session) => session.on('error', () => undefined));
  http2.on('stream', (stream: ServerHttp2Stream, _fields, _flags, raw?: string[]) => {
    const socket = stream.session?.socket;
    const address = socket?.remoteAddress ?? '127.0.0.1';
    void serveHttp2(stream, raw ?? [], { address, ...securityOf(socket) }, forwarder);
  });
  const serve = (socket: Socket | TLSSocket): void => {
    socket.on('error', () => undefined);
    socket.once('readable', () => {
      const first: Buffer = socket.read() ?? Buffer.alloc(0);
      const length = Math.min(first.length, PREFACE.length);
      const isHttp2 = length >= 3 && first.subarray(0, length).equals(PREFACE.subarray(0, length));
      if (isHttp2) {
        // FIN ends all of its streams.
        socket.allowHalfOpen = false;
        if (deviation.frames) {
          http2.emit('connection', new FrameRewriter(socket, first, deviation.frames));
          return;
        }
        socket.unshift(first);
        http2.emit('connection', socket);
        return;
      }
      const peer = { address: socket.remoteAddress ?? '', ...securityOf(socket) };
      void serveHttp1(socket, first, peer, forwarder, deviation);
    });
  };
  const { tls = {} } = deviation;
  const serveSecurely = (socket: TLSSocket): void => {
    if (tls.assumesHttp2 && !socket.alpnProtocol) {
      // Node's server wants ALPN of a TLSSocket.
      http2.emit('connection', new FrameRewriter(socket, Buffer.alloc(0), {}));
    } else serve(socket);
  };
  const server = options.credentials
    ? tlsServer(options.credentials, tls, serveSecurely)
    : createServer({ allowHalfOpen: true, noDelay: true }, serve);
  return listening(server, options.credentials ? 'https' : 'http');
}

function securityOf(socket: Socket | TLSSocket | undefined) {
  if (!(socket instanceof TLSSocket)) return { isSecure: false };
  return { isSecure: true, servername: socket.servername || undefined };
}

/** Listens on a free port. Closing it destroys its connections, also those in a handshake. */
export async function listening(server: Server, scheme: string): Promise<Proxy> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: new URL(`${scheme}://localhost:${port}`),
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}
