import type { CloseMethod, CloseReason } from './close-reason.ts';
import type { Connection } from './connection.ts';
import type { RejectedMessage } from './rejected-message.ts';

/** Observes the life of connections. */
export interface ConnectionObserver {
  /** Accepted by TCP. */
  opened(connection: Connection): void;
  /** The handshake is done and `connection.tls` is set. */
  secured(connection: Connection): void;
  /** @param error from OpenSSL, Node or wirebin */
  handshakeFailed(connection: Connection, error: Error): void;
  /** `connection.protocol` has been detected from the first bytes or ALPN. */
  detected?(connection: Connection): void;
  /**
   * The bytes received could not be parsed as a request.
   *
   * @param error from the parser
   */
  rejected(connection: Connection, error: Error, message?: RejectedMessage): void;
  /** wirebin closes the connection. */
  closing?(connection: Connection, how: CloseMethod, reason: CloseReason): void;
  /** The connection is closed; `connection.closeCause` says why. */
  closed(connection: Connection): void;
}
