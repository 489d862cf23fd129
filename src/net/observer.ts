import type { CloseMethod, CloseReason } from './close-reason.ts';
import type { Connection } from './connection.ts';
import type { RejectedMessage } from './rejected-message.ts';

/**
 * Who is told what becomes of connections. Facts flow this one way; where nobody looks there is no
 * observer, and nothing is made for one.
 */
export interface ConnectionObserver {
  /** TCP has accepted it. */
  opened(connection: Connection): void;
  /** The handshake is done, and `connection.tls` is there. */
  secured(connection: Connection): void;
  /** @param error the TLS library's or Node's, or what wirebin found */
  handshakeFailed(connection: Connection, error: Error): void;
  /** The first bytes, or ALPN, have told `connection.protocol`. */
  detected?(connection: Connection): void;
  /**
   * What came could not be read as a request.
   *
   * @param error the parser's
   * @param refused what came, as far as it is known
   */
  rejected(connection: Connection, error: Error, refused?: RejectedMessage): void;
  /** wirebin closes it, for a reason of its own. */
  closing?(connection: Connection, how: CloseMethod, reason: CloseReason): void;
  /** It has gone; `connection.ending` tells how. */
  closed(connection: Connection): void;
}
