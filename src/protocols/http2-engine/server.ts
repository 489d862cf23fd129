import type { TcpConnection } from '../../net/tcp-connection.ts';
import { turns } from '../../net/scheduler.ts';
import type { ProtocolOptions } from '../../server/limits.ts';
import type { UnreadTotal } from '../unread.ts';
import { SessionAdapter } from '../http2-shared/session-adapter.ts';
import { EngineSession } from './session.ts';

/** HTTP/2 (RFC 9113) on wirebin's own frames, cleartext and over TLS. */
export class EngineAdapter extends SessionAdapter<EngineSession> {
  readonly #unread: UnreadTotal;

  constructor(options: ProtocolOptions) {
    super(options);
    this.#unread = { bytes: 0, max: options.maxUnread };
  }

  /** Begins a connection in turn with others: a thousand at once would take a tenth of a second. */
  accept(connection: TcpConnection): void {
    turns.run(() => {
      if (!connection.stream.destroyed) this.#begin(connection);
    }, connection);
  }

  #begin(connection: TcpConnection): void {
    connection.detected(connection.tls ? 'h2' : 'h2c');
    this.options.observer.detected?.(connection);
    const session = new EngineSession(connection, this.options, this.#unread);
    this.open.add(session);
    connection.stream.once('close', () => {
      this.open.delete(session);
      session.onClosed();
    });
    // Protocol detection has put the first bytes back into the stream's buffer.
    connection.stream.resume();
    // After those are read: SETTINGS are sent at once, together with what answers them. Clients such as those of gRPC wait
    // for SETTINGS (RFC 9113 3.4).
    session.output.schedule();
  }

  /** Rejected streams are reported when they are rejected. */
  async settleRejections(): Promise<void> {}
}
