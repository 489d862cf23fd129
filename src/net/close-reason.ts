import type { Problem, ProblemCode } from '../http/problem.ts';

/** Why wirebin terminates a connection, session, stream or request. */
export const TERMINATION_REASONS = [
  /** The maximum number of connections is open. */
  'connection-limit',
  /** The first bytes or a complete header section did not arrive in time. */
  'header-timeout',
  /** A request's content did not arrive in time. */
  'request-timeout',
  /** No request arrived within the idle timeout. */
  'idle-timeout',
  /** The client does not read its responses. */
  'stalled',
  /** A response took too long. */
  'answer-timeout',
  /** HTTP/2: the client does not read, or is gone. */
  'silent',
  /** The PROXY header is missing or malformed. */
  'proxy-protocol',
  /** The client uses a transport that is switched off (--transports). */
  'transport-off',
  'handshake-failed',
  'handshake-timeout',
  'target-too-long',
  'fields-too-large',
  'content-too-large',
  /** The memory budget for large requests and responses, or the maximum number of TLS handshakes, is used up. */
  'overloaded',
  /** A message of HTTP/1.x is invalid or not supported: another version, CONNECT, another transfer coding. */
  'refused',
  /** An HTTP/2 connection error (RFC 9113 5.4.1), or a TLS error after the handshake. */
  'protocol-error',
  /** Too many HTTP/2 frames that require a reply or are invalid, or too many pipelined requests. */
  'flood',
  /** HTTP/2: too many streams ended with an error. */
  'resets',
  /** The maximum number of requests per connection was reached. */
  'request-limit',
  /** The maximum age of a connection was reached. */
  'connection-age',
  /** An internal error after the response had begun. The log has details. */
  'internal-error',
] as const;
export type TerminationReason = (typeof TERMINATION_REASONS)[number];

/** How wirebin closes a connection: see `Connection.close`. */
export type CloseMethod = 'graceful' | 'truncate' | 'abort' | 'reset';

/** Why wirebin closes a connection. */
export type CloseReason =
  | TerminationReason
  /** HTTP/1.x: the request or the response has `Connection: close`. */
  | 'connection-close'
  | 'draining'
  /** The request asked for a fault that closes the connection. */
  | 'fault'
  /** The service was stopped. */
  | 'stopped';

/** Who closed a connection first, and why. */
export type CloseCause =
  | { readonly by: 'client'; readonly reason: 'closed' | 'reset' }
  | { readonly by: 'wirebin'; readonly reason: CloseReason }
  /** An error. The reason is the system's code, such as ETIMEDOUT. */
  | { readonly by: 'error'; readonly reason: string };

/** NGHTTP2_ERR_FLOODED: nghttp2's queue of acknowledgements for SETTINGS and PING is full. */
const FLOODED = -904;

/** The close cause for an error of the socket, TLS or HTTP/2. */
export function causeFromError({ code = '', syscall, errno }: NodeJS.ErrnoException): CloseCause {
  // After the client's RST, reads fail with ECONNRESET and writes with EPIPE.
  if (code === 'ECONNRESET' || code === 'EPIPE') return { by: 'client', reason: 'reset' };
  // The client sent GOAWAY with an error code, or a TLS alert.
  if (code === 'ERR_HTTP2_SESSION_ERROR' || code.includes('_ALERT_')) {
    return { by: 'client', reason: 'closed' };
  }
  if (syscall !== undefined) return { by: 'error', reason: code };
  const isFlood = errno === FLOODED || code === 'ERR_HTTP2_TOO_MANY_INVALID_FRAMES';
  return { by: 'wirebin', reason: isFlood ? 'flood' : 'protocol-error' };
}

/** The termination reason of a close; undefined if the close was orderly or not decided by wirebin. */
export function terminationReason({ by, reason }: CloseCause): TerminationReason | undefined {
  return by === 'wirebin' ? TERMINATION_REASONS.find((each) => each === reason) : undefined;
}

/** Limits that are reported to the client as a problem with the same code as the termination reason. */
type Limit = TerminationReason & ProblemCode;
const LIMITS: readonly Limit[] = [
  'request-timeout',
  'target-too-long',
  'fields-too-large',
  'content-too-large',
  'overloaded',
];

/** The limit that a problem reports; undefined for other problems. */
export function exceededLimit({ code }: Problem): Limit | undefined {
  return LIMITS.find((limit) => limit === code);
}
