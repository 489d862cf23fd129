import { Socket } from 'node:net';
import { turns } from './scheduler.ts';
import { afterIterations, WRITE_ITERATIONS } from './event-loop.ts';

type Callback = (error?: Error | null) => void;

/** Size in bytes of libuv's read buffer (`uv__read`). When it is full, libuv reads on, up to 32 times per iteration. */
const FULL_READ = 64 * 1024;

/**
 * A socket without a native handle, which reads and writes through another socket. Node's TLS and HTTP/2 attach
 * natively to a socket's handle, so its bytes never reach JavaScript. They read and write a socket without a handle in
 * JavaScript (lib/internal/js_stream_socket.js).
 */
export class JavaScriptSocket extends Socket {
  readonly #socket: Socket;
  /** Number of writes started so far. */
  writes = 0;
  #isWriting = false;
  #afterWrite: (() => void) | undefined;
  #isDetached = false;
  /** Whether a received chunk is waiting for its turn to be delivered. */
  #isWaiting = false;
  #hasEnded = false;

  constructor(socket: Socket) {
    super({ allowHalfOpen: true });
    this.#socket = socket;
    socket.on('data', (chunk) => {
      if (chunk.length < FULL_READ || this.#isDetached) this.#deliver(chunk);
      else this.#deliverInTurn(chunk);
    });
    socket.on('end', () => {
      this.#hasEnded = true;
      if (!this.#isWaiting) this.#deliverEnd();
    });
    socket.on('error', (error) => this.destroy(error));
    socket.on('close', () => this.destroy());
    socket.pause();
  }

  #deliver(chunk: Buffer): void {
    // Once this socket is detached or destroyed, the other one is read to its end, because it may linger.
    if (this.#isDetached || this.destroyed) return;
    if (!this.push(chunk)) this.#socket.pause();
  }

  /** Delivers a large chunk in turn with other work: reading frames takes longer than sending them. */
  #deliverInTurn(chunk: Buffer): void {
    this.#isWaiting = true;
    this.#socket.pause();
    turns.run(() => {
      this.#isWaiting = false;
      this.#socket.resume();
      this.#deliver(chunk);
      if (this.#hasEnded) this.#deliverEnd();
    }, this);
  }

  #deliverEnd(): void {
    if (!this.#isDetached && !this.destroyed) this.push(null);
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
   * Calls a function once Node's engine knows that the current write is complete, and before it starts another one:
   * during a write, nghttp2 sends no GOAWAY. Waits a few iterations of the event loop at most: the client may never
   * read. Ignored while another call is scheduled.
   */
  afterWrite(call: () => void): void {
    if (this.#afterWrite) return;
    this.#afterWrite = call;
    if (!this.#isWriting) setImmediate(() => this.#callAfterWrite());
    afterIterations(WRITE_ITERATIONS, () => this.#callAfterWrite(true));
  }

  #callAfterWrite(always = false): void {
    const call = this.#afterWrite;
    if (!call || (this.#isWriting && !always)) return;
    this.#afterWrite = undefined;
    call();
  }

  override _write(chunk: Buffer, encoding: BufferEncoding, callback: Callback): void {
    // Ignores a write after the end, as Node's native engines do: an error would count as a reset.
    if (this.#isWritable) this.#socket.write(chunk, encoding, this.#writing(callback));
    else callback();
  }

  #writing(callback: Callback): Callback {
    this.#isWriting = true;
    this.writes++;
    return (error) => {
      this.#isWriting = false;
      // Node notifies its engine later, in an immediate (`doWrite`, lib/internal/js_stream_socket.js).
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
