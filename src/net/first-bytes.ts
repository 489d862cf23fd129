import type { Socket } from 'node:net';

/** Continues with the paused socket. Bytes that were peeked at are no longer in it. */
type Resume = () => void;

/**
 * Result of a peek: the number of bytes needed for the next peek, or a function that resumes: at once, or after a
 * timeout in milliseconds if more bytes may change the result.
 */
export type PeekResult = number | Resume | { readonly timeout: number; readonly resume: Resume };

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
  let timer: NodeJS.Timeout | undefined;
  let immediate: NodeJS.Immediate | undefined;
  let latest: Resume | undefined;

  const release = (): void => {
    clearTimeout(timer);
    clearImmediate(immediate);
    socket.off('data', onData).off('end', onEnd).off('close', onEnd);
  };
  const finish = (resume: Resume): void => {
    release();
    socket.pause();
    resume();
  };
  const onEnd = (): void => {
    release();
    onClose(length);
  };
  // If the event loop was blocked, read once more: bytes may have arrived in time.
  const onTimeout = (): void => {
    immediate = setImmediate(() => latest && finish(latest));
  };
  const onData = (chunk: Buffer): void => {
    chunks.push(chunk);
    length += chunk.length;
    if (length < needed) return;
    const result = peek(chunks.length === 1 ? chunk : Buffer.concat(chunks, length));
    if (typeof result === 'number') needed = result;
    else if (typeof result === 'function') finish(result);
    else {
      latest = result.resume;
      timer ??= setTimeout(onTimeout, result.timeout);
    }
  };
  // Resume, because a previous read, such as of the PROXY header, has paused the socket.
  socket.on('data', onData).on('end', onEnd).on('close', onEnd).resume();
}
