import { Socket } from 'node:net';
import { turns } from './turn-budget.ts';
import { afterIterations, WRITE_ITERATIONS } from './event-loop.ts';

type Callback = (error?: Error | null) => void;

/** Bytes that libuv reads at once (`uv__read`); after as many it reads on, up to 32 times in an iteration. */
const FULL_READ = 64 * 1024;

/**
 * A socket without a native handle, which reads from and writes to another one. Node's TLS and HTTP/2
 * attach natively to the handle of a socket, so that its bytes never reach JavaScript; a socket without one
 * they read and write in JavaScript (lib/internal/js_stream_socket.js).
 */
export class JavaScriptSocket extends Socket {
  readonly #socket: Socket;
  /** Number of writes that have begun. */
  writes = 0;
  #isWriting = false;
  #afterWrite: (() => void) | undefined;
  #isDetached = false;
  /** Whether bytes that were read wait for their turn. */
  #isWaiting = false;

  constructor(socket: Socket) {
    super({ allowHalfOpen: true });
    this.#socket = socket;
    socket.on('data', (chunk) => {
      if (chunk.length < FULL_READ || this.#isDetached) this.#deliver(chunk);
      else this.#deliverInTurn(chunk);
    });
    socket.on('end', () => this.#isDetached || this.push(null));
    socket.on('error', (error) => this.destroy(error));
    socket.on('close', () => this.destroy());
    socket.pause();
  }

  #deliver(chunk: Buffer): void {
    // The socket may outlive this one, to linger, and has to be read until then.
    if (this.#isDetached || this.destroyed) return;
    if (!this.push(chunk)) this.#socket.pause();
  }

  /** Reading frames in JavaScript takes longer than sending them: others have their turn in between. */
  #deliverInTurn(chunk: Buffer): void {
    this.#isWaiting = true;
    this.#socket.pause();
    turns.run(() => {
      this.#isWaiting = false;
      this.#socket.resume();
      this.#deliver(chunk);
    }, this);
  }

  /** Leaves the other socket alone: what is written to this one from now on is dropped. */
  detach(): void {
    this.#isDetached = true;
  }

  get #isWritable(): boolean {
    return this.#socket.writable && !this.#isDetached;
  }

  override _read(): void {
    if (!this.#isWaiting) this.#socket.resume();
  }

  /**
   * Calls the function once, in the turn in which Node's engine has been told that the current write is
   * complete, before it begins another one: during a write, nghttp2 sends no GOAWAY.
   */
  afterWrite(call: () => void): void {
    if (this.#afterWrite) return;
    this.#afterWrite = call;
    if (!this.#isWriting) setImmediate(() => this.#callAfterWrite());
    // The client may not read.
    afterIterations(WRITE_ITERATIONS, () => this.#callAfterWrite(true));
  }

  #callAfterWrite(always = false): void {
    const call = this.#afterWrite;
    if (!call || (this.#isWriting && !always)) return;
    this.#afterWrite = undefined;
    call();
  }

  override _write(chunk: Buffer, encoding: BufferEncoding, callback: Callback): void {
    // Like Node's native engines, which may write after the end: an error would count as a reset.
    if (this.#isWritable) this.#socket.write(chunk, encoding, this.#writing(callback));
    else callback();
  }

  #writing(callback: Callback): Callback {
    this.#isWriting = true;
    this.writes++;
    return (error) => {
      this.#isWriting = false;
      // Node tells its engine in an immediate of its own (`doWrite`, lib/internal/js_stream_socket.js).
      callback(error);
      if (this.#afterWrite) setImmediate(() => this.#callAfterWrite());
    };
  }

  override _writev(
    chunks: readonly { readonly chunk: Buffer; readonly encoding: BufferEncoding }[],
    callback: Callback,
  ): void {
    const socket = this.#socket;
    if (!this.#isWritable) {
      callback();
      return;
    }
    const last = chunks.length - 1;
    socket.cork();
    chunks.forEach(({ chunk, encoding }, at) => {
      if (at === last) socket.write(chunk, encoding, this.#writing(callback));
      else socket.write(chunk, encoding);
    });
    socket.uncork();
  }

  override _final(callback: Callback): void {
    if (this.#isWritable) this.#socket.end(callback);
    else callback();
  }

  override _destroy(error: Error | null, callback: Callback): void {
    if (!this.#isDetached) this.#socket.destroy();
    // A socket emits `close` there, not in the stream's own destroy().
    // oxlint-disable-next-line no-underscore-dangle -- the name is Node's
    super._destroy(error, callback);
  }
}
