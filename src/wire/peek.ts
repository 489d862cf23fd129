import type { Connection } from './connection.ts';
import { readFirstBytes, type Seen } from './first-bytes.ts';

/** Whether bytes are too few, all there is to see, or enough unless more of them is here already. */
export type Sight = 'more' | 'nearly' | 'enough';

/**
 * Looks at the first bytes of what a connection speaks and puts them back: the server that takes
 * over reads them as if they were just coming. A connection that says too little in time is closed.
 *
 * @param judge given all that has come
 * @param timeout in milliseconds; no server's time limit covers a socket before it takes over
 * @param take has to take the socket over on the spot
 */
export function peek(
  connection: Connection,
  judge: (bytes: Buffer) => Sight,
  timeout: number,
  take: (bytes: Buffer) => void,
): void {
  const socket = connection.tls ?? connection.socket;
  const timer = setTimeout(() => {
    connection.closes('header-timeout');
    socket.destroy();
  }, timeout).unref();
  const look = (bytes: Buffer): Seen => {
    const handOver = (): void => {
      clearTimeout(timer);
      socket.unshift(bytes);
      take(bytes);
    };
    const sight = judge(bytes);
    if (sight === 'more') return bytes.length + 1;
    // What a client writes in one go comes in one turn, in however many TLS records.
    return sight === 'nearly' ? { soon: handOver } : handOver;
  };
  readFirstBytes(socket, look, () => {
    clearTimeout(timer);
    socket.destroy();
  });
}
