import { once } from 'node:events';
import { connect, type AddressInfo, type Socket } from 'node:net';
import tls from 'node:tls';
import { makeCredentials } from '../../../src/net/certificates.ts';
import { TlsReader } from '../../../src/inspect/tls/tls-reader.ts';
import { startForwarder } from '../../_forwarder.ts';

export interface Piece {
  readonly side: 'client' | 'server';
  readonly bytes: Buffer;
}

/** The raw bytes of a TLS connection, in the order in which they passed, and its key log. */
export interface RecordedTls {
  readonly pieces: readonly Piece[];
  readonly keyLog: readonly string[];
}

export interface Given {
  readonly server?: tls.TlsOptions;
  readonly client?: tls.ConnectionOptions;
  /** What the client does with the connection; it ends it by default. */
  readonly run?: (socket: tls.TLSSocket, raw: Socket) => void;
}

const credentials = await makeCredentials(Date.now());

/** Records one connection between Node's client and server. The server sends `OK` and echoes. */
export async function recordTls(given: Given): Promise<RecordedTls> {
  const server = tlsServer(given.server);
  const pieces: Piece[] = [];
  const keyLog: string[] = [];
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  let closed: Promise<unknown> | undefined;
  const recorder = await startForwarder(port, (client, upstream, both) => {
    closed = both;
    client.on('data', (bytes: Buffer) => pieces.push({ side: 'client', bytes }));
    upstream.on('data', (bytes: Buffer) => pieces.push({ side: 'server', bytes }));
  });
  const raw = connect({ port: recorder.port, host: '127.0.0.1' });
  const socket = tls.connect({ socket: raw, rejectUnauthorized: false, ...given.client });
  socket.on('keylog', (line: Buffer) => keyLog.push(line.toString('latin1')));
  socket.on('error', () => undefined);
  socket.once('secureConnect', () => {
    socket.write('hello');
    socket.once('data', () => (given.run ?? ((each) => each.end()))(socket, raw));
  });
  socket.resume();
  await new Promise((resolve) => {
    socket.once('close', resolve);
  });
  await closed;
  await recorder.close();
  server.close();
  return { pieces, keyLog };
}

function tlsServer(options: tls.TlsOptions = {}): tls.Server {
  const server = tls.createServer({ ...credentials, ...options }, (socket) => {
    socket.on('error', () => undefined);
    socket.on('data', (data) => socket.write(data));
  });
  server.on('tlsClientError', () => undefined);
  return server;
}

/** A reader that got all of it. */
export function readerOf(recorded: RecordedTls, withKeys: boolean): TlsReader {
  const reader = new TlsReader(100);
  if (withKeys) for (const line of recorded.keyLog) reader.keyLog(line);
  for (const { side, bytes } of recorded.pieces) {
    if (side === 'client') reader.received(bytes, 0);
    else reader.sent(bytes, 0);
  }
  return reader;
}
