import type { FieldLine } from '../../src/check/message.ts';
import type { Http2Server, ServerHttp2Stream } from 'node:http2';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import { matchesPreface } from '../../src/net/detect-protocol.ts';
import { createHttp2Server } from '../../src/net/http2-sessions.ts';
import { deferDestroy } from '../../src/net/node-internals-http2.ts';
import { proxyHeader } from '../../src/wire/proxy-protocol/write.ts';
import type { TargetOptions } from '../../src/check/target.ts';
import { FrameRewriter, refuseMalformed, type FrameRewriting } from './_frame-rewriter.ts';
import { Forwarder } from './_gateway.ts';
import { serveHttp1 } from './_gateway-http1.ts';
import { serveHttp2 } from './_gateway-http2.ts';
import type { ClientRequest, Deviation, Peer } from './_gateway-messages.ts';
import { OriginConnector, type OriginTls } from './_gateway-origin.ts';
import { readProxyHeader, takeProxyHeader, type Client } from './_gateway-proxy-header.ts';
import { tlsServer } from './_gateway-tls.ts';

export interface Proxy {
  readonly url: URL;
  /** What its clients have to send. */
  readonly client?: Pick<TargetOptions, 'proxyProtocol' | 'cert' | 'key'> | undefined;
  close(): Promise<void>;
}

export interface ProxyOptions {
  readonly originPort: number;
  /** Serves TLS with this certificate; without it, cleartext. */
  readonly credentials?: { readonly cert: string; readonly key: string } | undefined;
  /** Connects to the origin by TLS; without it, in cleartext. */
  readonly originTls?: OriginTls | undefined;
  /** Whether clients have to send a PROXY header. */
  readonly requiresProxyHeader?: boolean | undefined;
  /** Whether clients are asked for a certificate, which is forwarded in Client-Cert. */
  readonly asksForCertificate?: boolean | undefined;
  /** Whether the origin gets a PROXY header. */
  readonly sendsProxyHeader?: boolean | undefined;
}

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
  const forwarder = new Forwarder(connector, {
    ...(options.sendsProxyHeader && { sendProxyHeader: proxyHeaderFor }),
    ...deviation,
  });
  const http2 = createHttp2Server({
    maxHeaderListPairs: MAX_FIELDS,
    settings: {
      maxHeaderListSize: 256 * 1024,
      enableConnectProtocol: deviation.upgrade !== undefined,
      ...deviation.settings,
    },
    maxSendHeaderBlockLength: 1024 * 1024,
  });
  http2.on('sessionError', () => undefined);
  const peers = new WeakMap<object, Peer>();
  // Node emits `session` while it is handed the connection, whose socket is not that of the client.
  let accepted = peerOf(undefined);
  http2.on('session', (session) => {
    deferDestroy(session);
    if (deviation.connectionWindow !== undefined)
      session.setLocalWindowSize(deviation.connectionWindow);
    peers.set(session, accepted);
    session.on('error', () => undefined);
  });
  http2.on('stream', (stream: ServerHttp2Stream, _fields, _flags, raw?: string[]) => {
    // A stream that is malformed has none any more.
    const peer = (stream.session && peers.get(stream.session)) ?? peerOf(undefined);
    void serveHttp2(stream, raw ?? [], peer, forwarder, deviation.upgrade);
  });
  const serve = (socket: Socket | TLSSocket, client?: Client): void => {
    socket.on('error', () => undefined);
    socket.once('readable', () => {
      const first: Buffer = socket.read() ?? Buffer.alloc(0);
      const isHttp2 = first.length >= 3 && matchesPreface(first);
      if (isHttp2) {
        // FIN ends all of its streams.
        socket.allowHalfOpen = false;
        const { fields = (lines) => lines, ...others }: FrameRewriting = deviation.frames ?? {};
        const frames = {
          ...others,
          fields: (lines: readonly FieldLine[]) => refuseMalformed(fields(lines)),
        };
        accepted = peerOf(socket);
        http2.emit('connection', new FrameRewriter(socket, first, frames));
        return;
      }
      void serveHttp1(socket, first, { ...peerOf(socket), ...client }, forwarder, deviation);
    });
  };
  const proxy = await listening(
    serverOf(options, deviation, serve, http2),
    options.credentials ? 'https' : 'http',
  );
  return {
    url: proxy.url,
    close: () => {
      forwarder.close();
      return proxy.close();
    },
  };
}

const proxyHeaderFor = ({ address, port }: ClientRequest): Buffer =>
  proxyHeader('v2', { source: address.replace(/^::ffff:/, ''), sourcePort: port });

function serverOf(
  { credentials, requiresProxyHeader = false, asksForCertificate = false }: ProxyOptions,
  { tls = {}, readProxyHeader: read }: Deviation,
  serve: (socket: Socket | TLSSocket, client?: Client) => void,
  http2: Http2Server,
): Server {
  if (!credentials) {
    const reader = read ?? (requiresProxyHeader ? readProxyHeader : undefined);
    return createServer({ allowHalfOpen: true, noDelay: true }, (socket) => {
      if (reader) takeProxyHeader(socket, reader, serve);
      else serve(socket);
    });
  }
  const options = asksForCertificate ? { requestCert: true, rejectUnauthorized: false } : {};
  return tlsServer({ ...credentials, ...options }, tls, (socket) => {
    if (tls.assumesHttp2 && !socket.alpnProtocol)
      http2.emit('connection', new FrameRewriter(socket, Buffer.alloc(0), {}));
    else serve(socket);
  });
}

function peerOf(socket: Socket | TLSSocket | undefined): Peer {
  const { remoteAddress: address = '127.0.0.1', remotePort: port = 0 } = socket ?? {};
  if (!(socket instanceof TLSSocket)) return { address, port, isSecure: false, certificates: [] };
  const certificates: Buffer[] = [];
  let certificate = socket.getPeerX509Certificate();
  for (; certificate; certificate = certificate.issuerCertificate)
    certificates.push(certificate.raw);
  const servername = socket.servername || undefined;
  return { address, port, isSecure: true, servername, certificates };
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
