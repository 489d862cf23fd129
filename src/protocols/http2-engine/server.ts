import type { Connection } from '../../net/connection.ts';
import { PrefaceCapture } from '../../net/client-preface.ts';
import { turns } from '../../net/scheduler.ts';
import type { ProtocolOptions } from '../../server/limits.ts';
import type { UnreadTotal } from '../unread.ts';
import { EngineSession } from './session.ts';

/** HTTP/2 (RFC 9113) on wirebin's own frames, cleartext and over TLS. */
export class EngineAdapter {
  readonly #sessions = new Set<EngineSession>();
  readonly #options: ProtocolOptions;
  readonly #sweep: NodeJS.Timeout;
  readonly #unread: UnreadTotal;

  constructor(options: ProtocolOptions) {
    this.#options = options;
    this.#unread = { bytes: 0, max: options.maxUnread };
    this.#sweep = setInterval(() => {
      const now = performance.now();
      for (const session of this.#sessions) session.checkTimeLimits(now);
    }, options.sweepInterval).unref();
  }

  /** Begins a connection in turn with others: a thousand at once would take a tenth of a second. */
  accept(connection: Connection): void {
    turns.run(() => {
      if (!connection.stream.destroyed) this.#begin(connection);
    }, connection);
  }

  #begin(connection: Connection): void {
    connection.detected(connection.tls ? 'h2' : 'h2c');
    this.#options.observer.detected?.(connection);
    const session = new EngineSession(
      connection,
      new PrefaceCapture(),
      this.#options,
      this.#unread,
    );
    this.#sessions.add(session);
    connection.stream.once('close', () => {
      this.#sessions.delete(session);
      session.onClosed();
    });
    // Protocol detection has put the first bytes back into the stream's buffer.
    connection.stream.resume();
    // After those are read: SETTINGS are sent at once, together with what answers them. Clients such as those of gRPC wait
    // for SETTINGS (RFC 9113 3.4).
    session.output.schedule();
  }

  /** Sends GOAWAY on every session, and on new ones after their first stream. Open streams are completed. */
  drain(): void {
    for (const session of this.#sessions) session.close('graceful', 'draining');
  }

  /**
   * Closes sessions that have been idle. Call at intervals.
   *
   * @param duration in milliseconds
   */
  closeIdle(duration: number): void {
    const now = performance.now();
    for (const session of this.#sessions) session.closeIdle(now, duration, 'draining');
  }

  /** Rejected streams are reported when they are rejected. */
  async settleRejections(): Promise<void> {}

  close(): void {
    clearInterval(this.#sweep);
    this.abort();
  }

  abort(): void {
    for (const session of this.#sessions) session.close('abort', 'stopped');
  }
}
