import {
  constants,
  type ClientHttp2Session,
  type ClientHttp2Stream,
  type OutgoingHttpHeaders,
} from 'node:http2';
import type { Opened } from '../../check/client/connect.ts';
import { MAX_INTERIM } from '../../check/client/response-recorder.ts';
import { connectHttp2 } from '../../net/http2-sessions.ts';
import { errorCodeName } from '../../wire/http2/names.ts';
import { VERSION } from '../../version.ts';
import {
  CLOSED,
  answerFailure,
  REFUSED,
  type Done,
  type LoadConnection,
  type LoadRequest,
  type Pending,
} from './load-connection.ts';

/** Window of streams and connections, so large that the load never waits for WINDOW_UPDATE. */
const WINDOW = 2 ** 30;

/** Megabytes of memory for all streams: many uploads at a time need more than Node's default of 10. */
const MAX_SESSION_MEMORY = 1000;

/** A connection that carries one request on each of its streams. */
export class Http2LoadConnection implements LoadConnection {
  readonly #session: ClientHttp2Session;
  readonly #request: LoadRequest;
  readonly #headers: OutgoingHttpHeaders;

  constructor({ stream }: Opened, request: LoadRequest) {
    const { method, path, authority, scheme, fields = [], content } = request;
    this.#request = request;
    this.#headers = {
      ':method': method,
      ':path': path,
      ':authority': authority,
      ':scheme': scheme,
      'user-agent': `wirebin-bench/${VERSION}`,
      accept: '*/*',
      ...Object.fromEntries(fields),
      ...(content && { 'content-length': content.length }),
    };
    this.#session = connectHttp2(`${scheme}://${authority}`, {
      createConnection: () => stream,
      maxSessionMemory: MAX_SESSION_MEMORY,
      settings: { enablePush: false, initialWindowSize: WINDOW },
    });
    this.#session
      .on('error', () => undefined)
      .once('connect', () => this.#session.setLocalWindowSize(WINDOW));
    stream.on('end', () => stream.destroy());
  }

  get isOpen(): boolean {
    return !this.#session.closed && !this.#session.destroyed;
  }

  send(done: Done): Pending {
    const { content } = this.#request;
    const stream = this.#session.request(this.#headers, { endStream: content === undefined });
    if (content) stream.end(content);
    return new PendingHttp2Request(this.#session, stream, this.#request, done);
  }

  close(): void {
    this.destroy();
  }

  destroy(): void {
    this.#session.destroy();
  }
}

/** A request and its response on a stream. */
class PendingHttp2Request implements Pending {
  readonly #session: ClientHttp2Session;
  readonly #stream: ClientHttp2Stream;
  #done: Done | undefined;
  #status = 0;
  #declared: number | undefined;
  #length = 0;
  #isRefused = false;

  constructor(
    session: ClientHttp2Session,
    stream: ClientHttp2Stream,
    request: LoadRequest,
    done: Done,
  ) {
    this.#session = session;
    this.#stream = stream;
    this.#done = done;
    stream.on('response', (headers) => {
      this.#status = headers[':status'] ?? 0;
      const length = headers['content-length'];
      this.#declared = length === undefined ? undefined : Number(length);
    });
    let interim = 0;
    stream.on('headers', () => {
      if (++interim > MAX_INTERIM) this.abort('too many interim responses');
    });
    stream.on('data', (piece: Buffer) => {
      this.#length += piece.length;
    });
    stream.on('end', () => {
      // Not after RST_STREAM with some error codes, which also ends reading: `close` follows.
      if (this.#status === 0 || stream.rstCode !== constants.NGHTTP2_NO_ERROR) return;
      const expected = { ...request, length: request.length ?? this.#declared };
      this.#finish(answerFailure(this.#status, this.#length, expected));
    });
    stream.on('error', (error: NodeJS.ErrnoException) => {
      // GOAWAY came before the request was sent.
      this.#isRefused ||= error.code === 'ERR_HTTP2_GOAWAY_SESSION';
    });
    stream.on('close', () => this.#finish(this.#failure()));
  }

  abort(reason: string): void {
    this.#finish(reason);
    this.#stream.close(constants.NGHTTP2_CANCEL);
  }

  #failure(): string {
    const { rstCode } = this.#stream;
    if (this.#isRefused || rstCode === constants.NGHTTP2_REFUSED_STREAM) return REFUSED;
    if (this.#session.destroyed) return CLOSED;
    return `stream reset (${errorCodeName(rstCode)})`;
  }

  #finish(failure: string | undefined): void {
    const done = this.#done;
    this.#done = undefined;
    done?.(failure);
  }
}
