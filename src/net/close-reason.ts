import type { Problem, ProblemCode } from '../http/problem.ts';

/** Why wirebin cuts a connection, a session, a stream or a request. */
export type TerminationReason =
  /** There are as many connections as there may be. */
  | 'connection-limit'
  /** It has not said in time what it speaks, or not sent all of a header section. */
  | 'header-timeout'
  /** A request's content did not come in time. */
  | 'request-timeout'
  /** No request came for the idle time. */
  | 'idle-timeout'
  /** The client takes nothing of its answers. */
  | 'stalled'
  /** An answer took longer than it may. */
  | 'answer-timeout'
  /** HTTP/2: not even a PING came back. */
  | 'silent'
  /** What stands in front is no sound PROXY header, or there is none. */
  | 'proxy-protocol'
  | 'handshake-failed'
  | 'handshake-timeout'
  | 'target-too-long'
  | 'fields-too-large'
  | 'content-too-large'
  /** Large contents and answers take all the memory they may. */
  | 'overloaded'
  /** What came is no HTTP/1.x message. */
  | 'refused'
  /** An error of HTTP/2 (RFC 9113 5.4.1), or of TLS behind the handshake, that ends the connection. */
  | 'protocol-error'
  /** HTTP/2: frames that want answers, or are not valid, came faster than they are put up with. */
  | 'flood'
  /** HTTP/2: too many streams ended with an error. */
  | 'resets'
  /** It has had as many requests as a connection may have. */
  | 'request-limit';

/** How wirebin closes a connection; see `Connection.close`. */
export type CloseMethod = 'graceful' | 'abort' | 'reset';

/** Why wirebin closes a connection. */
export type CloseReason =
  | TerminationReason
  /** The last answer of an HTTP/1.x connection, by the request's wish or the answer's. */
  | 'connection-close'
  | 'draining'
  /** The service has ended, with this connection still open. */
  | 'stopped';

/** Who closed a connection: whoever closed its side first. */
export type CloseCause =
  | { readonly by: 'client'; readonly reason: 'closed' | 'reset' }
  | { readonly by: 'wirebin'; readonly reason: CloseReason }
  /** The system's code, such as ETIMEDOUT. */
  | { readonly by: 'error'; readonly reason: string };

/** NGHTTP2_ERR_FLOODED: more SETTINGS or PING than nghttp2 has room to answer. */
const FLOODED = -904;

/** How an error of the socket, or of what is on it, ends the connection. */
export function causeFromError({ code = '', syscall, errno }: NodeJS.ErrnoException): CloseCause {
  // Reading tells of the client's RST by the one, writing by the other.
  if (code === 'ECONNRESET' || code === 'EPIPE') return { by: 'client', reason: 'reset' };
  // GOAWAY with an error code, and a TLS alert, both received.
  if (code === 'ERR_HTTP2_SESSION_ERROR' || code.includes('_ALERT_')) {
    return { by: 'client', reason: 'closed' };
  }
  if (syscall !== undefined) return { by: 'error', reason: code };
  const isFlood = errno === FLOODED || code === 'ERR_HTTP2_TOO_MANY_INVALID_FRAMES';
  return { by: 'wirebin', reason: isFlood ? 'flood' : 'protocol-error' };
}

/** Why the connection was cut; undefined where it ended in order, or not by us. */
export function terminationReason({ by, reason }: CloseCause): TerminationReason | undefined {
  if (by !== 'wirebin') return undefined;
  switch (reason) {
    case 'connection-close':
    case 'draining':
    case 'stopped':
      return undefined;
    default:
      return reason;
  }
}

/** A limit that is answered as a problem: it has one name as either. */
type Limit = TerminationReason & ProblemCode;
const LIMITS: readonly Limit[] = [
  'request-timeout',
  'target-too-long',
  'fields-too-large',
  'content-too-large',
  'overloaded',
];

/** The limit that a request has met; undefined where its problem is none. */
export function exceededLimit({ code }: Problem): Limit | undefined {
  return LIMITS.find((limit) => limit === code);
}
