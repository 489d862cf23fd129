import type { CloseMethod, CloseReason, TerminationReason } from './close-reason.ts';
import type { Connection } from './connection.ts';
import type { RejectedMessage } from './rejected-message.ts';

/** Events of connections, with their arguments. */
export interface ConnectionEvents {
  /** Accepting a connection failed, for example because no file descriptor is free. */
  acceptFailed: [error: Error];
  /** A TCP connection was accepted. */
  opened: [connection: Connection];
  /** The TLS handshake is complete, and `connection.tls` is set. */
  secured: [connection: Connection];
  /** The TLS handshake failed. `error` is from OpenSSL, Node or wirebin. */
  handshakeFailed: [connection: Connection, error: Error];
  /** The protocol was detected from the first bytes or by ALPN, and `connection.protocol` is set. */
  detected: [connection: Connection];
  /** Received bytes never became a request. If `error` is a Problem, it is sent as the response. */
  rejected: [connection: Connection, error: Error, message?: RejectedMessage];
  /** wirebin terminated a request, a stream or a connection. No connection is passed above the connection limit. */
  terminated: [reason: TerminationReason, connection?: Connection];
  /** wirebin is closing the connection. */
  closing: [connection: Connection, how: CloseMethod, reason: CloseReason];
  /** The connection has closed. `connection.closeCause` says why. */
  closed: [connection: Connection];
}

export type Handler<Event extends unknown[]> = ((...event: Event) => void) | undefined;

/** An observer. It has methods only for the events it needs. */
export type Observer<Events extends Record<keyof Events, unknown[]>> = {
  readonly [Name in keyof Events]?: Handler<Events[Name]>;
};

export type ConnectionObserver = Observer<ConnectionEvents>;
