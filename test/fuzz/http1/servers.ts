import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import type { Echo } from '../../../src/echo/echo-schema.ts';
import type { Field, Reader, Reading, ReadRequest } from './reading.ts';

/** Milliseconds without a byte after which the client sends FIN: the reader waits for the rest of a message. */
const QUIET = 50;

/** Sends the pieces on a connection of their own, and returns what comes back until it is closed. */
async function deliver(
  port: number,
  pieces: readonly Buffer[],
): Promise<{ readonly received: string; readonly localPort: number }> {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true });
  let received = '';
  socket
    .on('error', () => undefined)
    .on('data', (chunk: Buffer) => {
      received += chunk.toString('latin1');
    });
  const closed = new Promise<void>((resolve) => {
    socket.once('close', () => resolve());
  });
  await once(socket, 'connect');
  const { localPort = 0 } = socket;
  for (const piece of pieces) {
    if (!socket.writable) break;
    socket.write(piece);
    // A turn of the event loop, in which a server of this process reads the piece.
    await new Promise((resolve) => {
      setImmediate(resolve);
    });
  }
  socket.setTimeout(QUIET, () => socket.end());
  await closed;
  return { received, localPort };
}

/** wirebin, as far as its responses show what it has read: the echo of `/anything` has all of it. */
export function wirebinReader(port: number): Reader {
  return {
    name: 'wirebin',
    keepsFields: true,
    read: async (pieces) => readingOf((await deliver(port, pieces)).received),
    close: () => undefined,
  };
}

/** Types of problems after which wirebin has not read the message. Others are of requests that it has read. */
const REFUSALS = [
  'invalid-message',
  'invalid-target',
  'invalid-host',
  'not-implemented',
  'version-not-supported',
  'fields-too-large',
  'target-too-long',
  'content-too-large',
];
const REFUSAL = new RegExp(String.raw`^\{\s*"type": "/problems/(?:${REFUSALS.join('|')})"`);

/** What wirebin has read, by its responses in latin1. */
export function readingOf(received: string): Reading {
  const requests: (ReadRequest | undefined)[] = [];
  let rest = received;
  while (rest !== '') {
    const [, head, status = ''] = /^(HTTP\/1\.1 (\d{3}) [^]*?\r\n)\r\n/.exec(rest) ?? [];
    if (head === undefined) throw new Error(`no response: ${JSON.stringify(rest)}`);
    rest = rest.slice(head.length + 2);
    if (status === '100') continue;
    const [, length = '0'] = /^Content-Length: (\d+)\r$/im.exec(head) ?? [];
    // A response to HEAD has none of the content whose length it names.
    const content = rest.startsWith('HTTP/1.1 ') ? '' : rest.slice(0, Number(length));
    rest = rest.slice(content.length);
    if (REFUSAL.test(content)) break;
    requests.push(content.startsWith('{\n  "method"') ? echoed(content) : undefined);
  }
  return requests;
}

function echoed(content: string): ReadRequest {
  const echo = JSON.parse(Buffer.from(content, 'latin1').toString()) as Echo;
  const { method, path, query, raw_headers: fields, body, body_encoding: encoding } = echo;
  return {
    method,
    target: query === '' ? path : `${path}?${query}`,
    fields,
    content: Buffer.from(body, encoding).toString('latin1'),
    trailers: echo.raw_trailers ?? [],
  };
}

/** A request, and what has come of its content. */
interface Incoming {
  readonly message: IncomingMessage;
  readonly content: Buffer[];
}

/** llhttp as Node uses it, as strict as it is by default. */
export async function llhttpReader(): Promise<Reader> {
  const connections = new Map<number, Incoming[]>();
  const server = createServer({ requireHostHeader: false, insecureHTTPParser: false });
  server.on('connection', ({ remotePort = 0 }) => connections.set(remotePort, []));
  server.on('request', (message, response) => {
    const content: Buffer[] = [];
    connections.get(message.socket.remotePort ?? 0)?.push({ message, content });
    message.on('data', (chunk: Buffer) => content.push(chunk));
    // Without a length, Node would close a connection of HTTP/1.0.
    message.on('end', () => response.writeHead(200, { 'Content-Length': 0 }).end());
  });
  // The content that came before the error is handed over first.
  server.on('clientError', (_error, socket) => setImmediate(() => socket.destroy()));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    name: 'llhttp',
    keepsFields: true,
    async read(pieces) {
      const { localPort } = await deliver(port, pieces);
      const requests = connections.get(localPort) ?? [];
      connections.delete(localPort);
      return requests.filter(({ message }) => message.complete).map(incomingRequest);
    },
    close: () => closeServer(server),
  };
}

function incomingRequest({ message, content }: Incoming): ReadRequest {
  const { method = '', url = '', rawHeaders, rawTrailers } = message;
  return {
    method,
    target: url,
    fields: pairs(rawHeaders),
    content: Buffer.concat(content).toString('latin1'),
    trailers: pairs(rawTrailers),
  };
}

function pairs(list: readonly string[]): Field[] {
  return list.flatMap((name, at) => (at % 2 === 0 ? [[name, list[at + 1] ?? ''] as const] : []));
}

function closeServer(server: Server): void {
  server.close();
  server.closeAllConnections();
}
