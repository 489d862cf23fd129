import { once } from 'node:events';
import { connect, isIPv6, type Socket } from 'node:net';
import type { Protocol } from '../../net/connection.ts';
import type { Reach } from './reach.ts';

const PATH = '/readyz';
/** The version 2 header of a connection that the proxy makes for itself, such as a health check. */
const LOCAL_PROXY_HEADER = Buffer.from('0d0a0d0a000d0a515549540a20000000', 'hex');

/** Those in cleartext need less, and no client certificate. */
const CHEAPEST_FIRST: readonly Protocol[] = ['http/1.1', 'h2c', 'https/1.1', 'h2'];

/** Requests /readyz over the cheapest transport that is on. @returns the status @throws without a response */
export async function requestReadiness(reach: Reach): Promise<number> {
  const host = localHost(reach.host);
  const authority = `${isIPv6(host) ? `[${host}]` : host}:${reach.port}`;
  // Called once everything is loaded: until then nothing would handle an error of the socket.
  const open = (): Socket => {
    const socket = connect(reach.port, host);
    if ((reach.proxyProtocol ?? 'off') !== 'off') socket.write(LOCAL_PROXY_HEADER);
    return socket;
  };
  const on = reach.transports?.split(',').map((word) => word.trim());
  const transport = CHEAPEST_FIRST.find((one) => on?.includes(one) ?? true) ?? 'http/1.1';
  switch (transport) {
    case 'http/1.1':
      return requestHttp1(open(), authority);
    case 'h2c': {
      const http2 = await import('node:http2');
      const socket = open();
      await once(socket, 'connect');
      return requestHttp2(http2, socket, authority);
    }
    case 'https/1.1': {
      const { openTls } = await import('./tls.ts');
      return requestHttp1(await openTls(open(), reach, 'http/1.1'), authority);
    }
    case 'h2': {
      const [http2, { openTls }] = await Promise.all([import('node:http2'), import('./tls.ts')]);
      return requestHttp2(http2, await openTls(open(), reach, 'h2'), authority);
    }
  }
}

/** Where a service that listens on this address, or on all, can be reached from here. */
function localHost(host: string | undefined): string {
  if (host === undefined || host === '0.0.0.0') return '127.0.0.1';
  return host === '::' ? '::1' : host;
}

async function requestHttp1(socket: Socket, authority: string): Promise<number> {
  socket.write(`GET ${PATH} HTTP/1.1\r\nHost: ${authority}\r\nConnection: close\r\n\r\n`);
  let head = '';
  for await (const chunk of socket) {
    head += String(chunk);
    const [, status] = /^HTTP\/1\.1 (\d{3})/.exec(head) ?? [];
    if (status !== undefined) return Number(status);
  }
  throw new Error('the connection was closed without a response');
}

async function requestHttp2(
  { connect: connectHttp2 }: typeof import('node:http2'),
  socket: Socket,
  authority: string,
): Promise<number> {
  const session = connectHttp2(`http://${authority}`, { createConnection: () => socket });
  const failed = once(session, 'error').then(([error]: unknown[]) => {
    throw error;
  });
  const stream = session.request({ ':path': PATH });
  const [fields] = await Promise.race([once(stream, 'response'), failed]);
  return fields[':status'];
}
