import type { Socket } from 'node:net';

/** Milliseconds a client gets to take the last answer and close its side. */
export const LINGER = 2000;

/**
 * Closes our side and reads off what still comes until the client closes its own. A socket closed
 * over unread bytes sends RST, and RST can take an answer from the client that was on its way
 * (RFC 9112 9.6).
 */
export function linger(socket: Socket): void {
  if (socket.destroyed || socket.writableEnded) return;
  socket.end();
  socket.resume();
  const timer = setTimeout(() => socket.destroy(), LINGER).unref();
  socket.once('close', () => clearTimeout(timer));
}
