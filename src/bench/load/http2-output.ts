import type { Socket } from 'node:net';
import {
  FLAGS_OFFSET,
  frame,
  FRAME_HEADER_LENGTH,
  STREAM_OFFSET,
  TYPE_OFFSET,
} from '../../wire/http2/frame.ts';
import type { PreparedRequest } from './load-connection.ts';

const INITIAL_SIZE = 4096;
/** Bytes that may wait to be written before content has to wait. */
const MAX_WAITING = 256 * 1024;

/** Collects the frames of a turn of the event loop, and writes them at once: each write is a system call. */
export class Http2Output {
  readonly #socket: Socket;
  #buffer = Buffer.allocUnsafeSlow(INITIAL_SIZE);
  #length = 0;
  #isScheduled = false;

  constructor(socket: Socket) {
    this.#socket = socket;
  }

  /** Bytes that the peer has not taken yet. */
  get waiting(): number {
    return this.#length + this.#socket.writableLength;
  }

  /** Whether content has to wait for `drain` of the socket, or for what is written at the end of the turn. */
  get isFull(): boolean {
    if (this.#length >= MAX_WAITING) this.flush();
    return this.waiting >= MAX_WAITING;
  }

  bytes(bytes: Buffer): void {
    const at = this.#reserve(bytes.length);
    this.#buffer.set(bytes, at);
  }

  /** Appends a request for a stream, without its content. */
  request({ bytes, streamOffsets }: PreparedRequest, stream: number): void {
    const at = this.#reserve(bytes.length);
    this.#buffer.set(bytes, at);
    for (const offset of streamOffsets) this.#buffer.writeUInt32BE(stream, at + offset);
  }

  frame(type: number, flags: number, stream: number, payload?: Uint8Array): void {
    this.bytes(frame(type, flags, stream, payload));
  }

  /** Appends a frame with a part of larger content. */
  part(type: number, flags: number, stream: number, content: Uint8Array, from: number, to: number) {
    const at = this.#reserve(FRAME_HEADER_LENGTH + to - from);
    const buffer = this.#buffer;
    buffer.writeUIntBE(to - from, at, 3);
    buffer[at + TYPE_OFFSET] = type;
    buffer[at + FLAGS_OFFSET] = flags;
    buffer.writeUInt32BE(stream, at + STREAM_OFFSET);
    buffer.set(content.subarray(from, to), at + FRAME_HEADER_LENGTH);
  }

  /** Writes what was collected, when the code that runs now is done. */
  schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    queueMicrotask(() => {
      this.#isScheduled = false;
      this.flush();
    });
  }

  flush(): void {
    if (this.#length === 0 || this.#socket.destroyed) return;
    this.#socket.write(this.#buffer.subarray(0, this.#length));
    this.#length = 0;
    // Until the socket has passed the bytes on, their memory must not change.
    if (this.#socket.writableLength > 0) this.#buffer = Buffer.allocUnsafeSlow(INITIAL_SIZE);
  }

  /** @returns the offset of so many bytes that the caller fills */
  #reserve(size: number): number {
    const at = this.#length;
    this.#length += size;
    if (this.#length > this.#buffer.length) {
      const larger = Buffer.allocUnsafeSlow(Math.max(this.#length, 2 * this.#buffer.length));
      this.#buffer.copy(larger, 0, 0, at);
      this.#buffer = larger;
    }
    return at;
  }
}
