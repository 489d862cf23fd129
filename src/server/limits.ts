import type { Exchange } from './exchange.ts';
import type { ExchangeObserver } from './observer.ts';
import type { DrainState } from './rehearsal.ts';
import type { CommonFields } from './response-fields.ts';

/** The limits of connections, requests and responses. Times are in milliseconds, sizes in bytes. */
export interface Limits {
  /** Time for the first bytes, the handshake and each header section to arrive. */
  readonly headerTimeout: number;
  /** Time for a whole request to arrive. */
  readonly requestTimeout: number;
  /** Time that a connection without open requests is kept. */
  readonly idleTimeout: number;
  /** Time that a response waits for a client that does not read. */
  readonly stallTimeout: number;
  /** Time that a response may take. */
  readonly answerTimeout: number;
  /** HTTP/2: time without a byte written until a PING is sent, and then without a byte in either direction. */
  readonly silence: number;
  /** Time between checks of these timeouts. */
  readonly sweepInterval: number;
  /** Time within which a client must send something after we have ended a connection or stream. */
  readonly lingerTime: number;
  readonly maxHeaderSize: number;
  /** Maximum number of field lines in a header section. */
  readonly maxFields: number;
  /** Maximum number of requests per connection. */
  readonly maxRequests: number;
  /** HTTP/1.1: maximum number of queued pipelined requests on all connections. */
  readonly maxWaitingRequests: number;
  /** HTTP/2: maximum number of concurrent streams per session. */
  readonly maxStreams: number;
  /** HTTP/2: what SETTINGS announce beside it (RFC 9113 6.5.2, RFC 8441 3). */
  readonly initialWindowSize: number;
  readonly maxFrameSize: number;
  readonly headerTableSize: number;
  readonly enableConnectProtocol: boolean;
  /** HTTP/2: maximum memory of a session in MB; must allow more than a queued window for each stream. */
  readonly maxSessionMemory: number;
  /** HTTP/2: maximum number of streams per second that end with an error of either side. */
  readonly maxResets: number;
  /** HTTP/2: maximum number of PING and SETTINGS frames per second from the client. */
  readonly maxControlFrames: number;
}

/** What a protocol adapter needs to serve requests. */
export interface ProtocolOptions extends Limits, CommonFields {
  /** Called for each request. */
  readonly dispatch: (exchange: Exchange) => void;
  readonly observer: ExchangeObserver;
  readonly drainState: DrainState;
}
