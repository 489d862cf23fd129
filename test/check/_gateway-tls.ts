import { randomBytes } from 'node:crypto';
import { createServer, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer, type TlsOptions, type TLSSocket } from 'node:tls';
import type { InnerRecord } from '../../src/inspect/tls/traffic-keys.ts';
import { ContentType } from '../../src/wire/tls/record.ts';
import { Rewriter } from './_frame-rewriter.ts';
import { RESEALED, Resealing } from './_resealing.ts';

/** What a gateway does wrong in TLS. */
export interface TlsDeviation {
  /** Changes of the options of the server. */
  readonly options?: TlsOptions;
  /** Whether it closes a connection with this first segment. */
  readonly closes?: (first: Buffer) => boolean;
  /** Bytes that it sends before all else to a client with this first segment. */
  readonly greeting?: (first: Buffer) => Buffer;
  /** Changes a record that it sends; undefined drops it. */
  readonly record?: (record: Buffer) => Buffer | undefined;
  /** Changes the plaintext of a record of TLS 1.3 after the handshake; undefined drops it. */
  readonly inner?: (inner: InnerRecord) => Buffer | undefined;
  /** Whether clients may begin another handshake. */
  readonly renegotiates?: boolean;
  /** Whether its tickets are void at once. */
  readonly forgetsSessions?: boolean;
  /** Whether it speaks HTTP/2 to clients that offer no protocol. */
  readonly assumesHttp2?: boolean;
}

/** A server of TLS. @param serve called with each connection after the handshake */
export function tlsServer(
  credentials: TlsOptions,
  deviation: TlsDeviation,
  serve: (socket: TLSSocket) => void,
): Server {
  const { options, closes, greeting, inner, renegotiates = false, forgetsSessions } = deviation;
  const resealing = inner && new Resealing();
  const server = createTlsServer(
    {
      ...credentials,
      ...(inner && { ciphers: `${RESEALED.name}:DEFAULT` }),
      ALPNProtocols: ['h2', 'http/1.1'],
      allowHalfOpen: true,
      noDelay: true,
      ...options,
    },
    (socket) => {
      // Node's HTTP/2 server calls it, too.
      if (renegotiates) socket.disableRenegotiation = () => undefined;
      else socket.disableRenegotiation();
      // Renegotiation is an error, after which Node goes on.
      socket.on('error', () => socket.destroy());
      if (forgetsSessions) server.setTicketKeys(randomBytes(48));
      serve(socket);
    },
  );
  server.on('tlsClientError', () => undefined);
  if (resealing) server.on('keylog', (line: Buffer) => resealing.keyLog(line.toString('latin1')));
  const rewrites = deviation.record ?? inner;
  if (!closes && !greeting && !rewrites) return server;
  return createServer({ allowHalfOpen: true, noDelay: true }, (socket) => {
    socket.on('error', () => undefined);
    socket.once('readable', () => {
      const first: Buffer = socket.read() ?? Buffer.alloc(0);
      if (closes?.(first) === true) {
        socket.end();
        socket.resume();
        return;
      }
      if (greeting) socket.write(greeting(first));
      socket.unshift(first);
      server.emit(
        'connection',
        rewrites ? new RecordRewriter(socket, deviation, resealing) : socket,
      );
    });
  });
}

const HEADER = 5;

/** The connection of a client of TLS; the records that are sent to it are rewritten. */
class RecordRewriter extends Rewriter {
  readonly #deviation: TlsDeviation;
  readonly #resealing: Resealing | undefined;
  #rest = Buffer.alloc(0);
  #encrypted = 0;

  constructor(socket: Socket, deviation: TlsDeviation, resealing: Resealing | undefined) {
    super(socket);
    this.#deviation = deviation;
    this.#resealing = resealing;
    socket.on('data', (piece: Buffer) => this.push(piece));
  }

  override _write(piece: Buffer, _encoding: string, done: () => void): void {
    this.#rest = Buffer.concat([this.#rest, piece]);
    while (this.#rest.length >= HEADER) {
      const length = HEADER + this.#rest.readUInt16BE(3);
      if (this.#rest.length < length) break;
      const rewritten = this.#rewrite(this.#rest.subarray(0, length));
      this.#rest = this.#rest.subarray(length);
      if (rewritten && this.socket.writable) this.socket.write(rewritten);
    }
    done();
  }

  #rewrite(record: Buffer): Buffer | undefined {
    const { record: change = (same: Buffer) => same, inner } = this.#deviation;
    if (!inner || record[0] !== ContentType.applicationData) return change(record);
    return this.#resealing?.reseal(record, this.#encrypted++, inner);
  }
}
