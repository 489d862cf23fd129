import http from 'node:http';
import { connect, type Socket } from 'node:net';
import tls from 'node:tls';
import http2wrapper from 'http2-wrapper';
import { connectHttp2 } from '../src/net/http2-sessions.ts';
import { closedAfterFile } from './_opened.ts';

/** The four ways to the one port. */
export const transports = ['http/1.1', 'https/1.1', 'h2c', 'h2'] as const;
export type Transport = (typeof transports)[number];

export function isHttp2(transport: Transport): boolean {
  return transport === 'h2' || transport === 'h2c';
}

export function isSecure(transport: Transport): boolean {
  return transport === 'h2' || transport === 'https/1.1';
}

/** The ALPN list with which a socket is of this transport; undefined in cleartext. */
export function alpnOf(transport: Transport): string[] | undefined {
  return isSecure(transport) ? [isHttp2(transport) ? 'h2' : 'http/1.1'] : undefined;
}

/** What an endpoint that takes any method is asked with. */
export const METHODS = ['GET', 'HEAD', 'QUERY', 'POST', 'PUT', 'PATCH', 'DELETE', 'PURGE'];

export interface Received {
  readonly status: number;
  /** Lower-case names, lines joined as Node does. */
  readonly headers: http.IncomingHttpHeaders;
  /** Name, value, name, value… as they came. */
  readonly rawHeaders: string[];
  readonly httpVersion: string;
  readonly body: Buffer;
  readonly trailers: Record<string, string | undefined>;
}

export interface Sent {
  readonly method?: string;
  /** Header fields; an array repeats the field. */
  readonly headers?: Record<string, string | string[]>;
  readonly body?: string | Uint8Array;
}

/** One connection to the service. */
export interface Client {
  readonly transport: Transport;
  /** @param target goes on the wire as it is */
  request(target: string, sent?: Sent): Promise<Received>;
  close(): void;
  /** Goes, and leaves no doubt of it: HTTP/1.1 takes FIN of a client that may still read. */
  leave(): void;
}

/**
 * Opens a connection of the given kind; requests on it follow each other or, on HTTP/2, mix. It is closed after the
 * tests of the file.
 */
export function openClient(transport: Transport, port: number): Client {
  return closedAfterFile(clientOf(transport, port));
}

function clientOf(transport: Transport, port: number): Client {
  switch (transport) {
    case 'http/1.1':
    case 'https/1.1':
      return http1Client(transport, port);
    case 'h2c':
      return http2Client(transport, port, `http://127.0.0.1:${port}`);
    case 'h2':
      return http2Client(transport, port, `https://127.0.0.1:${port}`);
  }
}

function http1Client(transport: Transport, port: number): Client {
  let clear: Socket | undefined;
  const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
  agent.createConnection = () => {
    clear = connect(port, '127.0.0.1');
    return isSecure(transport) ? tls.connect({ socket: clear, rejectUnauthorized: false }) : clear;
  };
  return {
    transport,
    request(target, sent = {}) {
      const options = {
        host: '127.0.0.1',
        port,
        path: target,
        method: sent.method ?? 'GET',
        headers: sent.headers,
        agent,
      };
      return new Promise((resolve, reject) => {
        const outgoing = http.request(options, (incoming) => collect(incoming, resolve, reject));
        outgoing.on('error', reject);
        outgoing.end(sent.body);
      });
    },
    close: () => agent.destroy(),
    leave: () => clear?.resetAndDestroy(),
  };
}

function http2Client(transport: Transport, port: number, origin: string): Client {
  const session = connectHttp2(origin, { rejectUnauthorized: false });
  session.on('error', () => undefined);
  return {
    transport,
    request(target, sent = {}) {
      return new Promise((resolve, reject) => {
        const outgoing = http2wrapper.request(
          {
            host: '127.0.0.1',
            port,
            protocol: origin.startsWith('https') ? 'https:' : 'http:',
            path: target,
            method: sent.method ?? 'GET',
            headers: sent.headers ?? {},
            h2session: session,
          },
          (incoming) => collect(incoming, resolve, reject),
        );
        outgoing.on('error', reject);
        outgoing.end(sent.body);
      });
    },
    close: () => session.destroy(),
    leave: () => session.destroy(),
  };
}

function collect(
  incoming: http.IncomingMessage,
  resolve: (received: Received) => void,
  reject: (error: Error) => void,
): void {
  const chunks: Buffer[] = [];
  incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
  incoming.on('error', reject);
  incoming.on('aborted', () => reject(new Error('the answer was cut')));
  incoming.on('end', () =>
    resolve({
      status: incoming.statusCode ?? 0,
      headers: incoming.headers,
      rawHeaders: incoming.rawHeaders,
      httpVersion: incoming.httpVersion,
      body: Buffer.concat(chunks),
      trailers: incoming.trailers,
    }),
  );
}
