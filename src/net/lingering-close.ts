import type { Socket } from 'node:net';
import { suspendDestroy } from './node-internals.ts';

/** Milliseconds of silence after which a lingering connection is destroyed. */
export const LINGER_TIMEOUT = 2000;
/** Maximum number of linger periods for a client that keeps sending. */
const MAX_LINGER_PERIODS = 15;

/**
 * Sends FIN after pending writes, and discards what the client still sends, until it closes. Closing a socket with
 * unread bytes would send RST, and the client might lose the response (RFC 9112 9.6).
 *
 * @param time milliseconds of silence after which the socket is destroyed
 */
export function closeLingering(socket: Socket, time = LINGER_TIMEOUT): void {
  if (socket.destroyed || socket.writableEnded) return;
  socket.end(() => destroyWhenSilent(socket, time));
  socket.resume();
}

/**
 * Sends FIN on the TCP connection without close_notify before it (RFC 9846 6.1), like an attacker who truncates data.
 * Otherwise like `closeLingering`. Call only when all data written to `tls` has been sent.
 *
 * @param tcp the socket below `tls`
 */
export function closeTruncated(tls: Socket, tcp: Socket, time = LINGER_TIMEOUT): void {
  if (tls.destroyed || tls.writableEnded || tcp.writableEnded) return;
  tcp.end(() => destroyWhenSilent(tls, time));
  // Node destroys the socket only if both directions have ended.
  if (tls.readableEnded) tls.destroy();
  else tls.once('end', () => tls.destroy()).resume();
}

/**
 * Destroys a connection after a time of silence in milliseconds, or in any case after 15 times as long.
 *
 * @param socket whose `bytesRead` shows whether the client sends
 * @param stream the socket to destroy, if it is not `socket`: the TLS socket above it
 */
export function destroyWhenSilent(socket: Socket, time: number, stream = socket): void {
  if (socket.destroyed) return;
  let { bytesRead } = socket;
  let left = MAX_LINGER_PERIODS;
  const timer = setInterval(() => {
    if (bytesRead === socket.bytesRead || --left === 0) stream.destroy();
    bytesRead = socket.bytesRead;
  }, time).unref();
  socket.once('close', () => clearInterval(timer));
}

/** Milliseconds between checks of how much a client has sent after an alert. */
const ALERT_POLL_INTERVAL = 50;
/** Number of checks after which the socket is destroyed in any case. */
const MAX_ALERT_POLLS = 10;
/** Maximum bytes received after a failed handshake: Node buffers all of them. */
const MAX_BUFFERED = 64 * 1024;

/**
 * Lingers after OpenSSL has ended a handshake with an alert. A TLS 1.3 client without a certificate considers the
 * handshake complete and sends its request. Without lingering, curl would see a reset before it reads the alert.
 */
export function lingerAfterAlert(socket: Socket): void {
  const destroy = suspendDestroy(socket);
  socket.end();
  const { bytesRead } = socket;
  let left = MAX_ALERT_POLLS;
  const timer = setInterval(() => {
    if (--left > 0 && socket.bytesRead - bytesRead < MAX_BUFFERED) return;
    clearInterval(timer);
    destroy();
  }, ALERT_POLL_INTERVAL).unref();
}
