import type { Socket } from 'node:net';

/** Milliseconds in which a client has to send something, or to close its side. */
export const LINGER = 2000;
/** How many times a client that is still sending gets that long. */
const PERIODS = 15;

/**
 * Closes our side once all is written, and reads off what still comes until the client closes its
 * own. A socket closed over unread bytes sends RST, and RST can take an answer from the client that
 * was on its way (RFC 9112 9.6).
 */
export function linger(socket: Socket): void {
  if (socket.destroyed || socket.writableEnded) return;
  let timer: NodeJS.Timeout | undefined;
  socket.once('close', () => clearInterval(timer));
  socket.end(() => {
    if (socket.destroyed) return;
    let { bytesRead } = socket;
    let left = PERIODS;
    timer = setInterval(() => {
      if (bytesRead === socket.bytesRead || --left === 0) socket.destroy();
      bytesRead = socket.bytesRead;
    }, LINGER).unref();
  });
  socket.resume();
}
