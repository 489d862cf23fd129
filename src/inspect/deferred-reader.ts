import type { ProtocolReader } from './protocol-reader.ts';

/** Bytes kept of a stream before its protocol is detected. Further bytes are only counted. */
const MAX_UNDETECTED = 64 * 1024;

/** Number of chunks that are kept with their times: chunks of one byte would need far more memory than their bytes. */
const MAX_CHUNKS = 64;

interface Chunk {
  readonly isSent: boolean;
  bytes: Buffer;
  readonly time: number;
}

/**
 * Passes bytes to a reader. Until the protocol is detected and the reader is known, it keeps the first bytes, and then
 * passes them on before later ones.
 */
export class DeferredReader {
  #reader: ProtocolReader | undefined;
  readonly #chunks: Chunk[] = [];
  #kept = 0;
  #received = 0;

  /** The first bytes received and the number of all received, if no protocol was detected. */
  get undetected(): { readonly bytes: Buffer; readonly length: number } {
    const received = this.#chunks.filter(({ isSent }) => !isSent);
    return { bytes: Buffer.concat(received.map(({ bytes }) => bytes)), length: this.#received };
  }

  get isStarted(): boolean {
    return this.#reader !== undefined;
  }

  /** Estimated memory in bytes. */
  get bytesKept(): number {
    return this.#reader?.bytesKept ?? this.#kept;
  }

  /** Call when the protocol was detected. @param offset number of bytes that precede those of the protocol */
  start(reader: ProtocolReader, offset: number): void {
    this.#reader = reader;
    let before = offset;
    for (const { isSent, bytes, time } of this.#chunks.splice(0)) {
      if (isSent) {
        reader.sent(bytes, time);
        continue;
      }
      const rest = bytes.subarray(before);
      before = Math.max(0, before - bytes.length);
      if (rest.length > 0) reader.received(rest, time);
    }
  }

  received(bytes: Buffer): void {
    const time = performance.now();
    if (this.#reader) this.#reader.received(bytes, time);
    else {
      this.#received += bytes.length;
      this.#keep(bytes, time, false);
    }
  }

  sent(bytes: Buffer): void {
    const time = performance.now();
    if (this.#reader) this.#reader.sent(bytes, time);
    else this.#keep(bytes, time, true);
  }

  sentEnd(): void {
    this.#reader?.sentEnd?.(performance.now());
  }

  /** Copies the bytes, because they may be part of a buffer of 64 KiB. */
  #keep(bytes: Buffer, time: number, isSent: boolean): void {
    const kept = Buffer.from(bytes.subarray(0, MAX_UNDETECTED - this.#kept));
    if (kept.length === 0) return;
    this.#kept += kept.length;
    const last = this.#chunks.at(-1);
    if (last?.isSent === isSent && this.#chunks.length >= MAX_CHUNKS) {
      last.bytes = Buffer.concat([last.bytes, kept]);
    } else this.#chunks.push({ isSent, bytes: kept, time });
  }
}
