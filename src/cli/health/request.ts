import { once } from 'node:events';
import { connect, isIPv6, type Socket } from 'node:net';
import type { Protocol } from '../../net/connection.ts';
import type { Reach } from './reach.ts';

/** The version 2 header of a connection that the proxy makes for itself, such as a health check. */
const LOCAL_PROXY_HEADER = Buffer.from('0d0a0d0a000d0a515549540a20000000', 'hex');

/** Those in cleartext need less, and no client certificate. */
const CHEAPEST_FIRST: readonly Protocol[] = ['http/1.1', 'h2c', 'https/1.1', 'h2'];

/** Codes of errors with which Node says that the other end has closed the connection. */
const CLOSED = new Set([
  'ECONNRESET',
  'EPIPE',
  'ERR_STREAM_PREMATURE_CLOSE',
  'ERR_HTTP2_STREAM_CANCEL',
]);

/** Milliseconds within which a connection above the limit is closed, even where the event loop is late. */
const UNREAD = 500;

/**
 * Requests a path over the cheapest transport that is on.
 *
 * @returns the status; undefined if the service closes new connections before it reads of them, which it does at
 *   `--max-connections` only
 * @throws without a response
 */
export async function requestStatus(reach: Reach, path: string): Promise<number | undefined> {
  const open = (): Socket => connect(reach.port, localHost(reach.host));
  try {
    return await request(reach, path, open);
  } catch (error) {
    if (!isClosed(error)) throw error;
  }
  // It may have been closed because of what was sent: on this one nothing is, unless it stays open.
  const socket = open();
  return (await closesUnread(socket)) ? undefined : request(reach, path, () => socket);
}

async function closesUnread(socket: Socket): Promise<boolean> {
  // Until the request is sent, nothing else handles them.
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

/** @param open called once everything is loaded: until then nothing would handle an error of the socket */
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

/** Where a service that listens on this address, or on all, can be reached from here. */
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
