import { Socket } from 'node:net';

type Callback = (error?: Error | null) => void;

/**
 * A socket without a native handle, which reads from and writes to another one. Node's TLS and HTTP/2
 * attach natively to the handle of a socket, so that its bytes never reach JavaScript; a socket without one
 * they read and write in JavaScript (lib/internal/js_stream_socket.js).
 */
export class JavaScriptSocket extends Socket {
  readonly #socket: Socket;

  constructor(socket: Socket) {
    super({ allowHalfOpen: true });
    this.#socket = socket;
    socket.on('data', (chunk) => {
      // The socket may outlive this one, to linger, and has to be read until then.
      if (!this.destroyed && !this.push(chunk)) socket.pause();
    });
    socket.on('end', () => this.push(null));
    socket.on('error', (error) => this.destroy(error));
    socket.on('close', () => this.destroy());
    socket.pause();
  }

  override _read(): void {
    this.#socket.resume();
  }

  override _write(chunk: Buffer, encoding: BufferEncoding, callback: Callback): void {
    // Like Node's native engines, which may write after the end: an error would count as a reset.
    if (this.#socket.writable) this.#socket.write(chunk, encoding, callback);
    else callback();
  }

  override _writev(
    chunks: readonly { readonly chunk: Buffer; readonly encoding: BufferEncoding }[],
    callback: Callback,
  ): void {
    const socket = this.#socket;
    if (!socket.writable) {
      callback();
      return;
    }
    const last = chunks.length - 1;
    socket.cork();
    chunks.forEach(({ chunk, encoding }, at) => {
      if (at === last) socket.write(chunk, encoding, callback);
      else socket.write(chunk, encoding);
    });
    socket.uncork();
  }

  override _final(callback: Callback): void {
    if (this.#socket.writable) this.#socket.end(callback);
    else callback();
  }

  override _destroy(error: Error | null, callback: Callback): void {
    this.#socket.destroy();
    // A socket emits `close` there, not in the stream's own destroy().
    // oxlint-disable-next-line no-underscore-dangle -- the name is Node's
    super._destroy(error, callback);
  }
}
