import type { Socket } from 'node:net';

/** Milliseconds in which a client has to send something, or to close its side. */
export const LINGER_TIMEOUT = 2000;
/** How many times a client that is still sending gets that long. */
export const LINGER_PERIODS = 15;

/**
 * Closes our side once all is written, and reads off what still comes until the client closes its
 * own. A socket closed over unread bytes sends RST, and RST can take an answer from the client that
 * was on its way (RFC 9112 9.6).
 *
 * @param time in milliseconds
 */
export function closeLingering(socket: Socket, time = LINGER_TIMEOUT): void {
  if (socket.destroyed || socket.writableEnded) return;
  let timer: NodeJS.Timeout | undefined;
  socket.once('close', () => clearInterval(timer));
  socket.end(() => {
    if (socket.destroyed) return;
    let { bytesRead } = socket;
    let left = LINGER_PERIODS;
    timer = setInterval(() => {
      if (bytesRead === socket.bytesRead || --left === 0) socket.destroy();
      bytesRead = socket.bytesRead;
    }, time).unref();
  });
  socket.resume();
}

/** Milliseconds between two looks whether a client that was sent an alert floods us, ... */
const ALERT_POLL_INTERVAL = 50;
/** ... how often that is looked at, ... */
const MAX_ALERT_POLLS = 10;
/** ... and bytes that are none: Node keeps all that comes behind a handshake that has failed. */
const MAX_BUFFERED = 64 * 1024;

/**
 * The same for the TCP socket of a handshake that OpenSSL has just ended with an alert. In TLS 1.3 a
 * client without a certificate believes in the connection and sends; curl then finds a reset before it
 * reads. Node is about to destroy the socket along with the TLSSocket, and asks nobody.
 */
export function lingerAfterAlert(socket: Socket): void {
  const destroy = socket.destroy.bind(socket);
  socket.destroy = () => socket;
  socket.end();
  const { bytesRead } = socket;
  let left = MAX_ALERT_POLLS;
  const timer = setInterval(() => {
    if (--left > 0 && socket.bytesRead - bytesRead < MAX_BUFFERED) return;
    clearInterval(timer);
    socket.destroy = destroy;
    socket.destroy();
  }, ALERT_POLL_INTERVAL).unref();
}
