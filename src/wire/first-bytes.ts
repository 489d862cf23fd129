import type { Socket } from 'node:net';

/** What to do with the socket, which is paused; the bytes that were looked at are no longer in it. */
type Next = () => void;

/**
 * Reads the first bytes of a socket, until enough have come to tell what they are.
 *
 * @param look given all that has come: how many bytes it wants before it looks again, or what to do
 * @param onGone told how many bytes had come when the socket ended or was closed
 */
export function readFirstBytes(
  socket: Socket,
  look: (bytes: Buffer) => number | Next,
  onGone: (length: number) => void,
): void {
  const chunks: Buffer[] = [];
  let length = 0;
  let wanted = 1;

  const release = (): void => {
    socket.off('data', onData).off('end', onEnd).off('close', onEnd);
  };
  const onEnd = (): void => {
    release();
    onGone(length);
  };
  const onData = (chunk: Buffer): void => {
    chunks.push(chunk);
    length += chunk.length;
    if (length < wanted) return;
    const seen = look(chunks.length === 1 ? chunk : Buffer.concat(chunks, length));
    if (typeof seen === 'number') {
      wanted = seen;
      return;
    }
    release();
    socket.pause();
    seen();
  };
  // Behind other first bytes the socket is paused.
  socket.on('data', onData).on('end', onEnd).on('close', onEnd).resume();
}
