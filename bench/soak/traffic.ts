import http from 'node:http';
import http2 from 'node:http2';
import https from 'node:https';
import { pickUsual } from './usual.ts';

const transports = ['http/1.1', 'https/1.1', 'h2c', 'h2'] as const;
type Transport = (typeof transports)[number];

/** What honest clients have seen. */
export interface Tally {
  requests: number;
  /** Sentences, with the request each is about. */
  readonly errors: string[];
}

/** Milliseconds that an honest client waits for an answer. */
const PATIENCE = 15_000;
/** Requests on a connection before its client opens another. */
const LIFETIME = 200;

/** Honest clients: on each transport so many, each sending one request after the other. */
export async function honestTraffic(
  port: number,
  perTransport: number,
  tally: Tally,
  until: AbortSignal,
): Promise<void> {
  const clients = transports.flatMap((transport) =>
    Array.from({ length: perTransport }, () => client(transport, port, tally, until)),
  );
  await Promise.all(clients);
}

async function client(
  transport: Transport,
  port: number,
  tally: Tally,
  until: AbortSignal,
): Promise<void> {
  while (!until.aborted) {
    const line = open(transport, port);
    for (let sent = 0; sent < LIFETIME && !until.aborted; sent++) {
      const request = pickUsual();
      try {
        const { status, length } = await line.send(request);
        if (status !== request.status || (request.length ?? length) !== length) {
          throw new Error(`${status} with ${length} bytes`);
        }
        tally.requests++;
      } catch (error) {
        tally.errors.push(
          `${transport} ${request.method ?? 'GET'} ${request.path}: ${String(error)}`,
        );
        break;
      }
    }
    line.close();
  }
}

export interface Sent {
  readonly method?: string;
  readonly path: string;
  readonly fields?: Readonly<Record<string, string>>;
  readonly content?: Uint8Array;
}

interface Answer {
  readonly status: number;
  readonly length: number;
}

interface Line {
  send(request: Sent): Promise<Answer>;
  close(): void;
}

function open(transport: Transport, port: number): Line {
  switch (transport) {
    case 'http/1.1':
      return http1Line(port, http, new http.Agent({ keepAlive: true, maxSockets: 1 }));
    case 'https/1.1':
      return http1Line(port, https, new https.Agent({ keepAlive: true, maxSockets: 1 }));
    case 'h2c':
      return http2Line(`http://127.0.0.1:${port}`);
    case 'h2':
      return http2Line(`https://127.0.0.1:${port}`);
  }
}

function http1Line(
  port: number,
  { request }: Pick<typeof https, 'request'>,
  agent: http.Agent,
): Line {
  return {
    send: ({ method = 'GET', path, fields = {}, content }) =>
      new Promise((resolve, reject) => {
        const target = { host: '127.0.0.1', port, path, method, headers: fields };
        const options = { ...target, agent, rejectUnauthorized: false, timeout: PATIENCE };
        const outgoing = request(options, (incoming) => {
          let length = 0;
          incoming.on('data', (chunk: Buffer) => (length += chunk.length));
          incoming.on('end', () => resolve({ status: incoming.statusCode ?? 0, length }));
          incoming.on('error', reject);
        });
        outgoing.on('error', reject);
        outgoing.on('timeout', () => outgoing.destroy(new Error('no answer in time')));
        outgoing.end(content);
      }),
    close: () => agent.destroy(),
  };
}

function http2Line(origin: string): Line {
  const session = http2.connect(origin, { rejectUnauthorized: false });
  session.on('error', () => undefined);
  return {
    send: ({ method = 'GET', path, fields = {}, content }) =>
      new Promise((resolve, reject) => {
        const stream = session.request({ ':method': method, ':path': path, ...fields });
        let status = 0;
        let length = 0;
        stream.on('response', (headers) => (status = headers[':status'] ?? 0));
        stream.on('data', (chunk: Buffer) => (length += chunk.length));
        stream.on('end', () => resolve({ status, length }));
        stream.on('error', reject);
        stream.on('close', () => reject(new Error('closed without an end')));
        stream.setTimeout(PATIENCE, () => stream.destroy(new Error('no answer in time')));
        stream.end(content);
      }),
    close: () => session.destroy(),
  };
}
