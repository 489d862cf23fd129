import type { AddressInfo } from 'node:net';
import tls, { type TLSSocket } from 'node:tls';
import { makeCredentials } from '../../../src/net/certificates.ts';
import { Http2Connection } from '../../../src/wire/http2/connection.ts';
import type { ConnectionEvents } from '../../../src/wire/http2/connection-events.ts';
import { Flag, frame, FrameType, SettingId } from '../../../src/wire/http2/frame.ts';
import type { HeaderBlock } from '../../../src/wire/http2/header-block.ts';
import { literals } from '../../../src/wire/http2/hpack-encoder.ts';
import type { Http2Stream } from '../../../src/wire/http2/stream.ts';
import type { Arrival } from './_arrivals.ts';
import type { Scripted } from './_case.ts';

const CONTENT = Buffer.from('hello');
/** Milliseconds. */
const RAISED_AFTER = 500;
/** Milliseconds for which clients wait before a second request. */
const PAUSE = 300;
const PADDING = 100;
const EMPTY_FRAMES = 100;
const CONTINUATIONS = 20;
const ALL = 64 * 1024;

const maxStreams = (value: number): { id: number; value: number } => ({
  id: SettingId.maxConcurrentStreams,
  value,
});

type Fields = readonly (readonly [name: string, value: string])[];
type Stream = Http2Stream<undefined>;

const HEAD: Fields = [
  [':status', '200'],
  ['content-length', String(CONTENT.length)],
];
const { data, headers, continuation } = FrameType;
const { endHeaders, endStream, padded } = Flag;

/** A payload of a frame with the flag PADDED (RFC 9113 6.1). */
function withPadding(payload: Uint8Array): Buffer {
  return Buffer.concat([Buffer.of(PADDING), payload, Buffer.alloc(PADDING)]);
}

/** HEADERS of some bytes, and the rest in CONTINUATION frames of about the same length. */
function continued(id: number): Buffer[] {
  const block = literals([...HEAD, ['x-long', 'a'.repeat(1000)]]);
  const size = Math.ceil(block.length / (CONTINUATIONS + 1));
  return Array.from({ length: CONTINUATIONS + 1 }, (_, at) => {
    const piece = block.subarray(at * size, (at + 1) * size);
    const flags = at === CONTINUATIONS ? endHeaders : 0;
    return frame(at === 0 ? headers : continuation, flags, id, piece);
  });
}

/** What a path sends, frame by frame. All of it is valid. */
const scripts: Readonly<Record<string, (id: number) => readonly Buffer[]>> = {
  '/padded-headers': (id) => [
    frame(headers, endHeaders | padded, id, withPadding(literals(HEAD))),
    frame(data, endStream, id, CONTENT),
  ],
  '/padded-data': (id) => [
    frame(headers, endHeaders, id, literals(HEAD)),
    frame(data, endStream | padded, id, withPadding(CONTENT)),
  ],
  '/padding-alone': (id) => [
    frame(headers, endHeaders, id, literals(HEAD)),
    frame(data, padded, id, withPadding(Buffer.alloc(0))),
    frame(data, endStream, id, CONTENT),
  ],
  '/empty-data': (id) => [
    frame(headers, endHeaders, id, literals(HEAD)),
    ...Array.from({ length: EMPTY_FRAMES }, () => frame(data, 0, id)),
    frame(data, endStream, id, CONTENT),
  ],
  '/continuation': (id) => [...continued(id), frame(data, endStream, id, CONTENT)],
};

function valueOf(fields: HeaderBlock['fields'], wanted: string): string {
  return fields.find(({ name }) => name === wanted)?.value ?? '';
}

/** One connection of a client. */
class ScriptedConnection implements ConnectionEvents<undefined> {
  readonly #socket: TLSSocket;
  readonly #connection: Http2Connection<undefined>;
  readonly #arrived: (key: string) => void;
  #timer: NodeJS.Timeout | undefined;

  constructor(socket: TLSSocket, streams: number, arrived: (key: string) => void) {
    this.#socket = socket;
    this.#arrived = arrived;
    this.#connection = new Http2Connection<undefined>(this, {
      role: 'server',
      settings: [maxStreams(streams)],
      maxListSize: ALL,
      limits: { block: ALL, fragments: 100 },
    });
    if (streams === 0) this.#raiseLater(RAISED_AFTER);
    this.#flush();
  }

  receive(bytes: Buffer): void {
    this.#connection.receive(bytes);
    this.#flush();
  }

  close(): void {
    clearTimeout(this.#timer);
  }

  onHeaders(stream: Stream, { fields }: HeaderBlock): void {
    const path = valueOf(fields, ':path');
    this.#arrived(valueOf(fields, 'x-wirebin-journal'));
    const script = scripts[path];
    if (script) {
      this.#connection.sendRaw(Buffer.concat(script(stream.id)));
      this.#connection.stopSending(stream);
      return;
    }
    this.#connection.sendHeaders(stream, literals(HEAD), false);
    this.#connection.send(stream, CONTENT, true);
    if (path === '/lowered') {
      this.#connection.changeSettings([maxStreams(0)]);
      this.#raiseLater(PAUSE + RAISED_AFTER);
    }
  }

  /** A client may send a request before it has the settings, which is refused. */
  onRefused(_: number, { fields }: HeaderBlock): void {
    this.#arrived(valueOf(fields, 'x-wirebin-journal'));
  }

  onContent(stream: Stream, _: Buffer, start: number, end: number): void {
    this.#connection.returnCredit(stream, end - start);
  }

  onEnd(): void {}
  onReset(): void {}
  onSent(): void {}
  onGoaway(): void {}
  onConnectionError(): void {}

  #raiseLater(milliseconds: number): void {
    this.#timer = setTimeout(() => {
      this.#connection.changeSettings([maxStreams(100)]);
      this.#flush();
    }, milliseconds);
  }

  #flush(): void {
    for (const bytes of this.#connection.takeOutput(ALL)) this.#socket.write(Buffer.from(bytes));
  }
}

function serve(socket: TLSSocket, streams: number, arrived: (key: string) => void): void {
  const connection = new ScriptedConnection(socket, streams, arrived);
  socket.on('data', (bytes: Buffer) => connection.receive(bytes));
  socket.on('error', () => undefined);
  socket.on('close', () => connection.close());
}

/** An origin for what wirebin does not serve: HTTP/2 over TLS, on a free port of the loopback interface. */
export class ScriptedOrigin {
  readonly #sockets = new Set<TLSSocket>();
  readonly #arrivals = new Map<string, Arrival[]>();
  readonly #server: tls.Server;

  private constructor(server: tls.Server, kind: Scripted) {
    this.#server = server;
    server.on('secureConnection', (socket: TLSSocket) => {
      this.#sockets.add(socket);
      const connection = String(this.#sockets.size);
      const streams = kind === 'no streams' ? 0 : 100;
      serve(socket, streams, (key) => this.#add(key, connection));
    });
  }

  static async start(kind: Scripted): Promise<ScriptedOrigin> {
    const server = tls.createServer({
      ...(await makeCredentials(Date.now())),
      ALPNProtocols: ['h2'],
    });
    const origin = new ScriptedOrigin(server, kind);
    await new Promise<void>((resolve) => {
      server.listen(0, '127.0.0.1', resolve);
    });
    return origin;
  }

  get base(): string {
    const { port } = this.#server.address() as AddressInfo;
    return `https://127.0.0.1:${port}`;
  }

  arrivals(key: string): readonly Arrival[] {
    return this.#arrivals.get(key) ?? [];
  }

  close(): void {
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
  }

  #add(key: string, connection: string): void {
    const arrival = { connection, protocol: 'HTTP/2.0', received: 0, answeredAfter: undefined };
    this.#arrivals.set(key, [...this.arrivals(key), arrival]);
  }
}
