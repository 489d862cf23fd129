import type { Socket } from 'node:net';

/** What to do with the socket, which is paused; the bytes that were looked at are no longer in it. */
type Resume = () => void;

/**
 * What a look at the bytes says: how many it wants before the next one, or what to do, at once or,
 * where more may change it, when that many milliseconds have passed since the first such look.
 */
export type PeekResult = number | Resume | { readonly timeout: number; readonly resume: Resume };

/**
 * Reads the first bytes of a socket, until enough have come to tell what they are.
 *
 * @param peek given all that has come
 * @param onClose told how many bytes had come when the socket ended or was closed
 */
export function readFirstBytes(
  socket: Socket,
  peek: (bytes: Buffer) => PeekResult,
  onClose: (length: number) => void,
): void {
  const chunks: Buffer[] = [];
  let length = 0;
  let wanted = 1;
  let timer: NodeJS.Timeout | undefined;
  let turn: NodeJS.Immediate | undefined;
  let latest: Resume | undefined;

  const release = (): void => {
    clearTimeout(timer);
    clearImmediate(turn);
    socket.off('data', onData).off('end', onEnd).off('close', onEnd);
  };
  const finish = (next: Resume): void => {
    release();
    socket.pause();
    next();
  };
  const onEnd = (): void => {
    release();
    onClose(length);
  };
  // In a process that was busy, bytes may have come in time that have not been read yet.
  const onTimeout = (): void => {
    turn = setImmediate(() => latest && finish(latest));
  };
  const onData = (chunk: Buffer): void => {
    chunks.push(chunk);
    length += chunk.length;
    if (length < wanted) return;
    const seen = peek(chunks.length === 1 ? chunk : Buffer.concat(chunks, length));
    if (typeof seen === 'number') wanted = seen;
    else if (typeof seen === 'function') finish(seen);
    else {
      latest = seen.resume;
      timer ??= setTimeout(onTimeout, seen.timeout);
    }
  };
  // Behind other first bytes the socket is paused.
  socket.on('data', onData).on('end', onEnd).on('close', onEnd).resume();
}
