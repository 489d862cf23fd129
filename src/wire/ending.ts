/** Why wirebin closes a connection. */
export type CloseReason =
  /** It has not said in time what it speaks, or not sent its first request. */
  | 'header-timeout'
  /** No request came for the idle time. */
  | 'idle-timeout'
  /** The client takes nothing of its answers. */
  | 'stalled'
  /** HTTP/2: not even a PING came back. */
  | 'silent'
  /** What stands in front is no sound PROXY header, or there is none. */
  | 'proxy-protocol'
  | 'handshake-failed'
  /** What came is no HTTP/1.x message, or not in time. */
  | 'refused'
  /** The last answer of an HTTP/1.x connection, by the request's wish or the answer's. */
  | 'connection-close'
  /** An error of HTTP/2 (RFC 9113 5.4.1), or of TLS behind the handshake, that ends the connection. */
  | 'protocol-error'
  /** It has had as many requests as a connection may have. */
  | 'request-limit'
  | 'draining'
  /** The service has ended, with this connection still open. */
  | 'stopped';

/** Who closed a connection: whoever closed its side first. */
export type Ending =
  | { readonly by: 'client'; readonly reason: 'closed' | 'reset' }
  | { readonly by: 'wirebin'; readonly reason: CloseReason }
  /** The system's code, such as ETIMEDOUT. */
  | { readonly by: 'error'; readonly reason: string };

/** How an error of the socket, or of what is on it, ends the connection. */
export function endingBy({ code = '', syscall }: NodeJS.ErrnoException): Ending {
  // Reading tells of the client's RST by the one, writing by the other.
  if (code === 'ECONNRESET' || code === 'EPIPE') return { by: 'client', reason: 'reset' };
  // GOAWAY with an error code, and a TLS alert, both received.
  if (code === 'ERR_HTTP2_SESSION_ERROR' || code.includes('_ALERT_')) {
    return { by: 'client', reason: 'closed' };
  }
  return syscall === undefined
    ? { by: 'wirebin', reason: 'protocol-error' }
    : { by: 'error', reason: code };
}
