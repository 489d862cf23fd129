import type { ServerHttp2Session } from 'node:http2';
import type { Connection } from '../../net/connection.ts';
import { FrameType, parseClientPreface } from '../../net/client-preface.ts';

/** Streams that never became requests. Node does not tell of them, nor what nghttp2 found wrong. */
export class StreamsRejected extends Error {
  /** The first of them. */
  readonly stream: number;

  constructor(first: number, last: number, why: string) {
    const which = first === last ? `stream ${first}` : `streams ${first} to ${last}`;
    super(`${which} never became ${first === last ? 'a request' : 'requests'}: ${why}`);
    this.stream = first;
  }
}

const REFUSED = 'refused by nghttp2';
const INCOMPLETE = 'refused by nghttp2, or not complete';
const SKIPPED = 'refused by nghttp2, or skipped by the client';

/**
 * Follows header sections that have begun. nghttp2 tells of a stream once its section is complete and
 * valid, but counts it in `lastProcStreamID` as soon as the section begins. A stream in between is either
 * incomplete or was refused; the client can answer a PING only after the end of a section (RFC 9113
 * 4.3), so its answer tells the two apart.
 */
export class HeaderSections {
  readonly #session: ServerHttp2Session;
  readonly #connection: Connection;
  readonly #onRefused: (refused: StreamsRejected) => void;
  /** The last stream whose header section is known to have ended. */
  #ended = 0;
  /** The stream that has begun since, and when that was seen. */
  #begun = 0;
  #since = 0;
  #bytesRead = 0;

  constructor(
    session: ServerHttp2Session,
    connection: Connection,
    onRefused: (refused: StreamsRejected) => void,
  ) {
    this.#session = session;
    this.#connection = connection;
    this.#onRefused = onRefused;
  }

  /** Call for each request. */
  ended(stream: number): void {
    const next = this.#ended === 0 ? this.#firstBegun(stream) : this.#ended + 2;
    this.#ended = stream;
    if (stream > next) this.#onRefused(new StreamsRejected(next, stream - 2, SKIPPED));
  }

  /**
   * To be called every second.
   *
   * @param now by performance.now()
   * @param limit in milliseconds
   */
  isLate(now: number, limit: number): boolean {
    const { bytesRead } = this.#connection.socket;
    // While they stay the same, nothing can have begun.
    if (bytesRead !== this.#bytesRead) {
      this.#bytesRead = bytesRead;
      const stream = this.#lastBegun();
      if (stream > this.#ended && stream !== this.#begun) {
        this.#begun = stream;
        this.#since = now;
        this.#session.ping((error) => {
          if (!error) this.#refused(stream, REFUSED);
        });
      }
    }
    return this.#begun > this.#ended && now - this.#since >= limit;
  }

  /** Call before the session is destroyed. */
  close(): void {
    this.#refused(this.#lastBegun(), INCOMPLETE);
  }

  /** Not all clients begin with 1; the first flight has the stream, unless it is not complete. */
  #firstBegun(stream: number): number {
    if (stream === 1) return stream;
    const { frames } = parseClientPreface(this.#connection.clientPreface);
    return frames.find(({ type }) => type === FrameType.headers)?.stream ?? stream;
  }

  #lastBegun(): number {
    return this.#session.state.lastProcStreamID ?? 0;
  }

  #refused(stream: number, why: string): void {
    if (stream <= this.#ended) return;
    this.#ended = stream;
    this.#onRefused(new StreamsRejected(stream, stream, why));
  }
}
