import { once } from 'node:events';
import type { Http2Server, ServerHttp2Session, ServerHttp2Stream } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { createHttp2Server } from '../../../src/net/http2-sessions.ts';
import { deferDestroy } from '../../../src/net/node-internals-http2.ts';
import type { Http2Reader, Http2ReaderOptions } from '../../../src/inspect/http2/http2-reader.ts';
import { startForwarder, type Forwarder } from '../../_forwarder.ts';
import * as h2 from '../../_frames.ts';
import { openSocket } from '../../_raw.ts';
import { http2Reader } from './_reader.ts';

/** What Node made of a stream. */
export interface Delivered {
  readonly lines: readonly string[];
  trailers: readonly string[] | undefined;
}

/** A connection to Node's server with a reader beside it. */
export interface Inspected {
  readonly client: h2.FrameClient;
  readonly reader: Http2Reader;
  readonly delivered: Map<number, Delivered>;
}

/** Node's HTTP/2 server, without any of ours, and a forwarder whose bytes the readers get. */
export class InspectedServer {
  readonly #server: Http2Server;
  readonly #forwarder: Forwarder;
  readonly #sessions = new Set<ServerHttp2Session>();
  #delivered = new Map<number, Delivered>();
  #reader = http2Reader();

  private constructor(server: Http2Server, forwarder: Forwarder) {
    this.#server = server;
    this.#forwarder = forwarder;
    server.on('sessionError', () => undefined);
    server.on('session', (session) => {
      deferDestroy(session);
      this.#sessions.add(session);
    });
    const onStream = (
      stream: ServerHttp2Stream,
      _fields: unknown,
      _flags: number,
      lines: readonly string[] = [],
    ): void => this.#onStream(stream, lines);
    server.on('stream', onStream);
  }

  static async start(
    options: Parameters<typeof createHttp2Server>[0] = {},
  ): Promise<InspectedServer> {
    const server = createHttp2Server(options);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const forwarder = await startForwarder(port, (client, upstream) => {
      const reader = started.#reader;
      client.on('data', (piece: Buffer) => reader.received(piece, performance.now()));
      upstream.on('data', (piece: Buffer) => reader.sent(piece, performance.now()));
    });
    const started: InspectedServer = new InspectedServer(server, forwarder);
    return started;
  }

  /** One connection at a time. */
  async connect(options: Partial<Http2ReaderOptions> = {}): Promise<Inspected> {
    this.#delivered = new Map();
    this.#reader = http2Reader(options);
    const client = new h2.FrameClient(await openSocket(this.#forwarder.port));
    client.send(h2.frame(h2.WINDOW_UPDATE, 0, 0, h2.uint32(2 ** 30)));
    return { client, reader: this.#reader, delivered: this.#delivered };
  }

  close(): void {
    // Node 20 does not notice the end of a connection that nghttp2 has given up.
    for (const session of this.#sessions) session.destroy();
    void this.#forwarder.close();
    this.#server.close();
  }

  #onStream(stream: ServerHttp2Stream, lines: readonly string[]): void {
    const seen: Delivered = { lines, trailers: undefined };
    const reader = this.#reader;
    this.#delivered.set(stream.id ?? 0, seen);
    reader.delivered(stream.id ?? 0);
    stream.on('error', () => undefined);
    stream.on('trailers', (_fields: unknown, _flags: number, raw: string[]) => {
      seen.trailers = raw;
    });
    stream.on('end', () => {
      if (!stream.destroyed) stream.respond({ ':status': 204 }, { endStream: true });
    });
    stream.resume();
  }
}
