import type { Socket } from 'node:net';

/** Called when the system has taken the bytes, or with an error if it never will. */
export type Sent = (error?: Error | null) => void;

/** Maximum bytes to copy into one write. Up to this size, copying is faster than a second write. */
export const MAX_COPIED = 16 * 1024;

/**
 * Sends the bytes of an HTTP/1.x connection. Small responses to requests that arrived together are sent in one write,
 * because a write costs more than everything else in a small response; see bench/NOTES.md.
 */
export class Output {
  readonly #socket: Socket;
  /** Small responses that wait for the end of the batch. */
  #joined = '';
  /** Functions to call when the joined responses have been sent. */
  #callbacks: Sent[] = [];
  /** Number of batches, which may be nested. */
  #batches = 0;

  constructor(socket: Socket) {
    this.#socket = socket;
  }

  get isClosed(): boolean {
    return this.#socket.destroyed;
  }

  /** Call before several requests may be served, and `endBatch` afterwards. */
  beginBatch(): void {
    this.#batches++;
  }

  endBatch(): void {
    if (--this.#batches === 0) this.flush();
  }

  /** Sends text, one byte per character. Within a batch, small texts are joined. */
  writeSmall(text: string, sent: Sent): void {
    if (this.#batches === 0) {
      this.#socket.write(text, 'latin1', sent);
      return;
    }
    this.#joined += text;
    this.#callbacks.push(sent);
    if (this.#joined.length > MAX_COPIED) this.flush();
  }

  /** Sends parts in order, together if possible. Strings have one byte per character. */
  write(parts: readonly (string | Uint8Array)[], sent?: Sent): void {
    this.flush();
    const socket = this.#socket;
    const filled = parts.filter((part) => part.length > 0);
    const length = filled.reduce((sum, part) => sum + part.length, 0);
    if (filled.length > 1 && length <= MAX_COPIED) {
      socket.write(concatenated(filled, length), sent);
      return;
    }
    const last = filled.pop() ?? '';
    if (filled.length > 0) socket.cork();
    for (const part of filled) writePart(socket, part);
    writePart(socket, last, sent);
    if (filled.length > 0) socket.uncork();
  }

  /** Sends what waits for the end of the batch. */
  flush(): void {
    if (this.#joined === '') return;
    const callbacks = this.#callbacks;
    const text = this.#joined;
    this.#joined = '';
    this.#callbacks = [];
    const [first] = callbacks;
    this.#socket.write(
      text,
      'latin1',
      callbacks.length === 1
        ? first
        : (error) => {
            // Each of them makes room for a further request, whose response belongs into the same write.
            this.beginBatch();
            for (const sent of callbacks) sent(error);
            this.endBatch();
          },
    );
  }
}

function writePart(socket: Socket, part: string | Uint8Array, sent?: Sent): void {
  if (typeof part === 'string') socket.write(part, 'latin1', sent);
  else socket.write(part, sent);
}

function concatenated(parts: readonly (string | Uint8Array)[], length: number): Buffer {
  const all = Buffer.allocUnsafe(length);
  let at = 0;
  for (const part of parts) {
    if (typeof part === 'string') all.write(part, at, 'latin1');
    else all.set(part, at);
    at += part.length;
  }
  return all;
}
