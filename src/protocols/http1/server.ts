import type { Connection } from '../../net/connection.ts';
import type { ProtocolOptions } from '../../server/limits.ts';
import { Http1Connection } from './connection.ts';
import { TimeLimits } from './time-limits.ts';
import type { UnreadTotal } from '../unread.ts';

/** HTTP/1.1 and HTTP/1.0 (RFC 9112), cleartext and over TLS. */
export class Http1Adapter {
  readonly #connections = new Map<Http1Connection, TimeLimits>();
  readonly #options: ProtocolOptions;
  readonly #sweep: NodeJS.Timeout;
  readonly #unread: UnreadTotal;

  constructor(options: ProtocolOptions) {
    this.#options = options;
    this.#unread = { bytes: 0, max: options.maxUnread };
    this.#sweep = setInterval(() => {
      const now = performance.now();
      for (const limits of this.#connections.values()) limits.check(now);
    }, options.sweepInterval).unref();
  }

  accept(connection: Connection): void {
    connection.detected(connection.tls ? 'https/1.1' : 'http/1.1');
    this.#options.observer.detected?.(connection);
    const http1 = new Http1Connection(connection, this.#options, this.#unread);
    this.#connections.set(http1, new TimeLimits(http1, this.#options));
    connection.stream.once('close', () => {
      this.#connections.delete(http1);
      http1.onClosed();
    });
    // Protocol detection has put the first bytes back into the stream's buffer.
    connection.stream.resume();
  }

  /**
   * Closes connections that have been idle. Call at intervals.
   *
   * @param duration in milliseconds
   */
  closeIdle(duration: number): void {
    const now = performance.now();
    for (const limits of this.#connections.values()) limits.closeIdle(now, duration, 'draining');
  }

  /** Stops checking time limits. The listener closes the connections. */
  close(): void {
    clearInterval(this.#sweep);
  }
}
