import type { TcpConnection } from '../../net/tcp-connection.ts';
import type { ProtocolOptions } from '../../server/limits.ts';
import { Adapter } from '../adapter.ts';
import { Http1Connection } from './connection.ts';
import { TimeLimits } from './time-limits.ts';
import type { UnreadTotal } from '../unread.ts';

/** HTTP/1.1 and HTTP/1.0 (RFC 9112), cleartext and over TLS. The listener closes its connections. */
export class Http1Adapter extends Adapter<TimeLimits> {
  readonly #unread: UnreadTotal;

  constructor(options: ProtocolOptions) {
    super(options);
    this.#unread = { bytes: 0, max: options.maxUnread };
  }

  accept(connection: TcpConnection): void {
    connection.detected(connection.tls ? 'https/1.1' : 'http/1.1');
    this.options.observer.detected?.(connection);
    const http1 = new Http1Connection(connection, this.options, this.#unread);
    const limits = new TimeLimits(http1, this.options);
    this.open.add(limits);
    connection.stream.once('close', () => {
      this.open.delete(limits);
      http1.onClosed();
    });
    // Protocol detection has put the first bytes back into the stream's buffer.
    connection.stream.resume();
  }
}
