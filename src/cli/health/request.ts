import { once } from 'node:events';
import { connect, isIPv6, type Socket } from 'node:net';
import type { Protocol } from '../../net/connection.ts';
import type { Reach } from './reach.ts';

/** PROXY header of version 2, command LOCAL: for connections of the proxy itself, such as health checks. */
const LOCAL_PROXY_HEADER = Buffer.from('0d0a0d0a000d0a515549540a20000000', 'hex');

/** Transports without TLS first, because they are cheaper and need no client certificate. */
const CHEAPEST_FIRST: readonly Protocol[] = ['http/1.1', 'h2c', 'https/1.1', 'h2'];

/** Error codes by which Node reports that the other end has closed the connection. */
const CLOSED = new Set([
  'ECONNRESET',
  'EPIPE',
  'ERR_STREAM_PREMATURE_CLOSE',
  'ERR_HTTP2_STREAM_CANCEL',
]);

/** Milliseconds within which a service closes a connection above its limit, even if its event loop is slow. */
const UNREAD = 500;

/**
 * Requests a path on the cheapest transport that is on.
 *
 * @returns the status; undefined if the service closes new connections without reading, as it does only at
 * `--max-connections`
 * @throws without a response
 */
export async function requestStatus(reach: Reach, path: string): Promise<number | undefined> {
  const open = (): Socket => connect(reach.port, localHost(reach.host));
  try {
    return await request(reach, path, open);
  } catch (error) {
    if (!isClosed(error)) throw error;
  }
  // The close may have been a reaction to what was sent. On this connection nothing is sent, unless it stays open.
  const socket = open();
  return (await closesUnread(socket)) ? undefined : request(reach, path, () => socket);
}

async function closesUnread(socket: Socket): Promise<boolean> {
  // Handles errors until the request is sent.
  socket.on('error', () => {});
  try {
    await once(socket, 'readable', { signal: AbortSignal.timeout(UNREAD) });
    return socket.readableEnded || socket.read() === null;
  } catch (error) {
    if (error instanceof Error && error.name === 'AbortError') return false;
    if (isClosed(error)) return true;
    throw error;
  }
}

function isClosed(error: unknown): boolean {
  return error instanceof Error && 'code' in error && CLOSED.has(String(error.code));
}

/** @param open called when all modules are loaded, because errors of the socket would not be handled before */
async function request(reach: Reach, path: string, open: () => Socket): Promise<number> {
  const host = localHost(reach.host);
  const authority = `${isIPv6(host) ? `[${host}]` : host}:${reach.port}`;
  const start = (): Socket => {
    const socket = open();
    if ((reach.proxyProtocol ?? 'off') !== 'off') socket.write(LOCAL_PROXY_HEADER);
    return socket;
  };
  const on = reach.transports?.split(',').map((word) => word.trim());
  const transport = CHEAPEST_FIRST.find((one) => on?.includes(one) ?? true) ?? 'http/1.1';
  switch (transport) {
    case 'http/1.1':
      return requestHttp1(start(), authority, path);
    case 'h2c': {
      const sessions = await import('../../net/http2-sessions.ts');
      const socket = start();
      if (socket.connecting) await once(socket, 'connect');
      return requestHttp2(sessions, socket, authority, path);
    }
    case 'https/1.1': {
      const { openTls } = await import('./tls.ts');
      return requestHttp1(await openTls(start(), reach, 'http/1.1'), authority, path);
    }
    case 'h2': {
      const [sessions, { openTls }] = await Promise.all([
        import('../../net/http2-sessions.ts'),
        import('./tls.ts'),
      ]);
      return requestHttp2(sessions, await openTls(start(), reach, 'h2'), authority, path);
    }
  }
}

/** The host at which a service listening on this address can be reached from this machine. */
function localHost(host: string | undefined): string {
  if (host === undefined || host === '0.0.0.0') return '127.0.0.1';
  return host === '::' ? '::1' : host;
}

async function requestHttp1(socket: Socket, authority: string, path: string): Promise<number> {
  socket.write(`GET ${path} HTTP/1.1\r\nHost: ${authority}\r\nConnection: close\r\n\r\n`);
  let head = '';
  for await (const chunk of socket) {
    head += String(chunk);
    const [, status] = /^HTTP\/1\.1 (\d{3})/.exec(head) ?? [];
    if (status !== undefined) return Number(status);
  }
  throw closedWithoutResponse();
}

async function requestHttp2(
  { connectHttp2 }: typeof import('../../net/http2-sessions.ts'),
  socket: Socket,
  authority: string,
  path: string,
): Promise<number> {
  const session = connectHttp2(`http://${authority}`, { createConnection: () => socket });
  const ended = once(session, 'close').then(() => {
    throw closedWithoutResponse();
  });
  try {
    const stream = session.request({ ':path': path });
    const [fields] = await Promise.race([once(stream, 'response'), ended]);
    return fields[':status'];
  } finally {
    session.destroy();
  }
}

function closedWithoutResponse(): Error {
  const error = new Error('the connection was closed without a response');
  return Object.assign(error, { code: 'ECONNRESET' });
}
