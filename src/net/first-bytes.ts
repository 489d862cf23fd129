import type { Socket } from 'node:net';

/** Continues with the paused socket. The peeked bytes have been taken out of it. */
type Resume = () => void;

/** Result of a peek: the total number of bytes needed for the next peek, or a function that continues. */
export type PeekResult = number | Resume;

/**
 * Reads the first bytes of a socket until `peek` has enough.
 *
 * @param peek called with all bytes received so far
 * @param onClose called with the number of bytes received, if the socket ends or closes first
 */
export function readFirstBytes(
  socket: Socket,
  peek: (bytes: Buffer) => PeekResult,
  onClose: (length: number) => void,
): void {
  const chunks: Buffer[] = [];
  let length = 0;
  let needed = 1;

  const release = (): void => {
    socket.off('data', onData).off('end', onEnd).off('close', onEnd);
  };
  const onEnd = (): void => {
    release();
    onClose(length);
  };
  const onData = (chunk: Buffer): void => {
    chunks.push(chunk);
    length += chunk.length;
    if (length < needed) return;
    const result = peek(chunks.length === 1 ? chunk : Buffer.concat(chunks, length));
    if (typeof result === 'number') {
      needed = result;
      return;
    }
    release();
    socket.pause();
    result();
  };
  // An earlier peek, such as at the PROXY header, has paused the socket.
  socket.on('data', onData).on('end', onEnd).on('close', onEnd).resume();
}
