import type { CloseMethod, CloseReason, TerminationReason } from './close-reason.ts';
import type { Connection } from './connection.ts';
import type { RejectedMessage } from './rejected-message.ts';

/** The events of connections, with their arguments. */
export interface ConnectionEvents {
  /** Accepting a connection failed, such as when no file descriptor is free. */
  acceptFailed: [error: Error];
  /** Accepted by TCP. */
  opened: [connection: Connection];
  /** The handshake is done and `connection.tls` is set. */
  secured: [connection: Connection];
  /** `error` is from OpenSSL, Node or wirebin. */
  handshakeFailed: [connection: Connection, error: Error];
  /** `connection.protocol` has been detected from the first bytes or ALPN. */
  detected: [connection: Connection];
  /** The bytes received never became a request. If `error` is a Problem, it is the response. */
  rejected: [connection: Connection, error: Error, message?: RejectedMessage];
  /** wirebin terminated a request, a stream or a connection; undefined for one above the limit. */
  terminated: [reason: TerminationReason, connection?: Connection];
  /** wirebin closes the connection. */
  closing: [connection: Connection, how: CloseMethod, reason: CloseReason];
  /** The connection is closed; `connection.closeCause` says why. */
  closed: [connection: Connection];
}

export type Handler<Event extends unknown[]> = ((...event: Event) => void) | undefined;

/** Has methods for the events that it wants to be called for. */
export type Observer<Events extends Record<keyof Events, unknown[]>> = {
  readonly [Name in keyof Events]?: Handler<Events[Name]>;
};

export type ConnectionObserver = Observer<ConnectionEvents>;
