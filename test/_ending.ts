import { connect, type Socket } from 'node:net';
import { Duplex } from 'node:stream';
import tls from 'node:tls';
import { ContentType, RecordSplitter, type RawRecord } from '../src/wire/tls/record.ts';

/** How TCP and TLS ended. */
export interface Ending {
  readonly ending: 'FIN' | 'RST';
  /** Whether an alert came before the end; undefined in clear. */
  readonly closeNotify: boolean | undefined;
}

/** What a client got of a connection, and its end. */
export interface Outcome extends Ending {
  /** latin1, decrypted. */
  readonly received: string;
}

/** A connection of its own, in clear or over TLS. */
export interface Observed {
  readonly tcp: Socket;
  /** Where bytes are sent and received. */
  readonly socket: Socket;
  /** All received so far, decrypted. */
  readonly received: () => Buffer;
  /** Resolves when the server ends the connection. */
  readonly ended: Promise<Ending>;
}

/** @param alpn the protocol to ask for */
export function observe(port: number, isSecure: boolean, alpn = 'http/1.1'): Observed {
  const tcp = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
  const records: RawRecord[] = [];
  const socket = isSecure ? encrypted(tcp, records, alpn) : tcp;
  const ended = endOf(tcp).then(async (ending) => {
    // What has been read may still have to be decrypted.
    await new Promise((resolve) => {
      setImmediate(resolve);
    });
    return {
      ending,
      closeNotify: isSecure ? records.at(-1)?.type === ContentType.alert : undefined,
    };
  });
  const pieces: Buffer[] = [];
  socket.on('error', () => undefined);
  socket.on('data', (piece: Buffer) => pieces.push(piece));
  return { tcp, socket, received: () => Buffer.concat(pieces), ended };
}

/**
 * Sends bytes on a connection of its own and reads until the server ends it.
 *
 * @param bytes as latin1
 */
export async function outcomeOf(port: number, bytes: string, isSecure: boolean): Promise<Outcome> {
  const { tcp, socket, received, ended } = observe(port, isSecure);
  socket.write(bytes, 'latin1');
  const ending = await ended;
  tcp.destroy();
  return { received: received().toString('latin1'), ...ending };
}

function endOf(tcp: Socket): Promise<'FIN' | 'RST'> {
  return new Promise((resolve, reject) => {
    // libuv reports RST as the end if data came with it; then the socket cannot be written to.
    tcp.once('end', () => tcp.write('', (error) => resolve(error ? 'RST' : 'FIN')));
    tcp.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'ECONNRESET') resolve('RST');
      else reject(error);
    });
  });
}

/** TLS 1.2, which shows that a record is an alert. */
function encrypted(tcp: Socket, records: RawRecord[], alpn: string): Socket {
  const splitter = new RecordSplitter();
  const observed = new Duplex({
    read: () => undefined,
    write: (chunk: Buffer, _encoding, done) => void tcp.write(chunk, done),
    final: (done) => void tcp.end(done),
  });
  tcp.on('data', (chunk: Buffer) => {
    records.push(...splitter.push(chunk));
    observed.push(chunk);
  });
  tcp.on('end', () => observed.push(null));
  return tls.connect({
    socket: observed,
    rejectUnauthorized: false,
    maxVersion: 'TLSv1.2',
    ALPNProtocols: [alpn],
  });
}
