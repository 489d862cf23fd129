import type { ServerHttp2Session } from 'node:http2';

/**
 * Finds a header section that takes too long to arrive. nghttp2 tells of a stream once its section is
 * complete and valid, but counts it in `lastProcStreamID` as soon as the section begins. A stream in
 * between is either incomplete or was refused; the client can answer a PING only after the end of a
 * section (RFC 9113 4.3), so its answer tells the two apart.
 */
export class HeaderSections {
  /** The last stream whose header section is known to have ended. */
  #ended = 0;
  /** The stream that has begun since, and when that was seen. */
  #begun = 0;
  #since = 0;
  #bytesRead = 0;

  /** Call for each request. */
  ended(stream: number): void {
    this.#ended = stream;
  }

  /**
   * To be called every second.
   *
   * @param now by performance.now()
   * @param limit in milliseconds
   * @param bytesRead of the socket; while they stay the same, nothing can have begun
   */
  isLate(session: ServerHttp2Session, now: number, limit: number, bytesRead: number): boolean {
    if (bytesRead !== this.#bytesRead) {
      this.#bytesRead = bytesRead;
      const { lastProcStreamID: stream = 0 } = session.state;
      if (stream > this.#ended && stream !== this.#begun) {
        this.#begun = stream;
        this.#since = now;
        session.ping((error) => {
          if (!error && stream > this.#ended) this.#ended = stream;
        });
      }
    }
    return this.#begun > this.#ended && now - this.#since >= limit;
  }
}
