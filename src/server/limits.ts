import type { Exchange } from './exchange.ts';
import type { ExchangeObserver } from './observer.ts';
import type { DrainState } from './rehearsal.ts';
import type { CommonFields } from './response-fields.ts';

/**
 * Milliseconds for which a connection that has reached its maximum age waits for a request to close with: it may be on
 * its way.
 */
export const OLD_IDLE = 1000;

/** Limits of connections, requests and responses. Times are in milliseconds, sizes in bytes, unless said otherwise. */
export interface Limits {
  /** Time within which the first bytes, the handshake and each header section must arrive. */
  readonly headerTimeout: number;
  /** Time within which a whole request must arrive. */
  readonly requestTimeout: number;
  /** Time for which a connection without open requests is kept. */
  readonly idleTimeout: number;
  /** Time for which a response waits for a client that does not read. */
  readonly stallTimeout: number;
  /** Maximum total time of a response. */
  readonly answerTimeout: number;
  /** HTTP/2: time without written bytes before a PING, and then without any bytes before the connection closes. */
  readonly silence: number;
  /** Time between checks of the timeouts. */
  readonly sweepInterval: number;
  /** Time for which wirebin reads on after it has ended a connection or stream; received data renews it. */
  readonly lingerTime: number;
  readonly maxHeaderSize: number;
  /** Maximum number of field lines in a header section. */
  readonly maxFields: number;
  /** Maximum number of requests per connection. */
  readonly maxRequests: number;
  /** Time after which a connection is closed once its open requests are complete. */
  readonly maxConnectionAge: number;
  /** HTTP/1.x: maximum unread bytes of pipelined requests on all connections together. */
  readonly maxUnread: number;
  /** HTTP/2: maximum number of concurrent streams per session. */
  readonly maxStreams: number;
  /** HTTP/2: this and the next three are further settings to announce (RFC 9113 6.5.2, RFC 8441 3). */
  readonly initialWindowSize: number;
  readonly maxFrameSize: number;
  readonly headerTableSize: number;
  readonly enableConnectProtocol: boolean;
  /** HTTP/2: maximum memory of a session in MB. Must be larger than the windows of all its streams together. */
  readonly maxSessionMemory: number;
  /** HTTP/2: maximum number of streams per second that either side ends with an error. */
  readonly maxResets: number;
  /** HTTP/2: maximum number of PING and SETTINGS frames per second that a client may send. */
  readonly maxControlFrames: number;
}

/** Options of protocol adapters. */
export interface ProtocolOptions extends Limits, CommonFields {
  readonly dispatch: (exchange: Exchange) => void;
  readonly observer: ExchangeObserver;
  readonly drainState: DrainState;
}
