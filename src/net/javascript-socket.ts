import { Socket } from 'node:net';
import { turns } from './scheduler.ts';
import { afterIterations, WRITE_ITERATIONS } from './event-loop.ts';

type Callback = (error?: Error | null) => void;

/** Bytes of a full read by libuv (`uv__read`). After a full read, it reads on, up to 32 times in an iteration. */
const FULL_READ = 64 * 1024;

/**
 * A socket without native handle, which reads and writes another socket. Node's TLS and HTTP/2 attach natively to a
 * socket's handle, so that its bytes never reach JavaScript. A socket without handle, they read and write in JavaScript
 * (lib/internal/js_stream_socket.js).
 */
export class JavaScriptSocket extends Socket {
  readonly #socket: Socket;
  /** Number of writes that have begun. */
  writes = 0;
  #isWriting = false;
  #afterWrite: (() => void) | undefined;
  #isDetached = false;
  /** Whether received bytes wait for their turn to be delivered. */
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
    // Keep reading the other socket until this one is detached or destroyed, because the other may linger longer.
    if (this.#isDetached || this.destroyed) return;
    if (!this.push(chunk)) this.#socket.pause();
  }

  /** Delivers bytes in turn with other work, because reading frames in JavaScript takes longer than sending them. */
  #deliverInTurn(chunk: Buffer): void {
    this.#isWaiting = true;
    this.#socket.pause();
    turns.run(() => {
      this.#isWaiting = false;
      this.#socket.resume();
      this.#deliver(chunk);
    }, this);
  }

  /** Detaches from the other socket. Later writes to this socket are dropped. */
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
   * Calls the function once, after Node's engine was told that the current write is complete, and before it begins
   * another one: during a write, nghttp2 sends no GOAWAY.
   */
  afterWrite(call: () => void): void {
    if (this.#afterWrite) return;
    this.#afterWrite = call;
    if (!this.#isWriting) setImmediate(() => this.#callAfterWrite());
    // The client may never read, so the write is waited for only a few iterations of the event loop.
    afterIterations(WRITE_ITERATIONS, () => this.#callAfterWrite(true));
  }

  #callAfterWrite(always = false): void {
    const call = this.#afterWrite;
    if (!call || (this.#isWriting && !always)) return;
    this.#afterWrite = undefined;
    call();
  }

  override _write(chunk: Buffer, encoding: BufferEncoding, callback: Callback): void {
    // A write after the end is ignored, like in Node's native engines: an error would count as a reset.
    if (this.#isWritable) this.#socket.write(chunk, encoding, this.#writing(callback));
    else callback();
  }

  #writing(callback: Callback): Callback {
    this.#isWriting = true;
    this.writes++;
    return (error) => {
      this.#isWriting = false;
      // Node tells its engine later, in an immediate (`doWrite`, lib/internal/js_stream_socket.js).
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
    // net.Socket emits `close` in its _destroy(), Duplex in destroy().
    // oxlint-disable-next-line no-underscore-dangle -- the name is Node's
    super._destroy(error, callback);
  }
}
