import { createWriteStream, type WriteStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { interfaceDescription, interfaceStatistics, sectionHeader } from './pcapng.ts';

/** One pcapng file, which can be read without others. Times are in milliseconds since 1970. */
export class CaptureFile {
  readonly path: string;
  /** Fulfilled once the file is created, or rejected with the system error, which names the file. */
  readonly created: Promise<void>;
  readonly #stream: WriteStream;
  readonly #start: number;
  #size = 0;
  #packets = 0;

  /**
   * Creates the file, which only its owner can read.
   *
   * @param path of a file that does not exist
   * @param application what writes it
   * @param onFailure called if it is created but cannot be written; what is added later is dropped
   */
  constructor(path: string, application: string, start: number, onFailure: (error: Error) => void) {
    this.path = path;
    this.#start = start;
    this.#stream = createWriteStream(path, { flags: 'wx', mode: 0o600 });
    this.created = new Promise((resolve, reject) => {
      this.#stream.once('error', reject).once('open', () => {
        this.#stream.once('error', onFailure);
        resolve();
      });
    });
    this.#write(Buffer.concat([sectionHeader(application), interfaceDescription('wirebin')]));
  }

  /** Bytes that have been written, or wait for the disk. */
  get size(): number {
    return this.#size;
  }

  /** Bytes that wait for the disk. */
  get waiting(): number {
    return this.#stream.writableLength;
  }

  get isWritable(): boolean {
    return this.#stream.writable;
  }

  /** Adds blocks of packets, after those of the secrets that they need. */
  add(secrets: readonly Buffer[], packets: readonly Buffer[]): void {
    this.#packets += packets.length;
    this.#write(Buffer.concat([...secrets, ...packets]));
  }

  /** Ends the file. @param dropped packets that are missing in it */
  end(time: number, dropped: number): void {
    const statistics = { start: this.#start, end: time, received: this.#packets, dropped };
    this.#stream.end(interfaceStatistics(statistics));
  }

  /** Deletes the file, with what waits for the disk. */
  async delete(): Promise<void> {
    const stream = this.#stream;
    // What waits for the disk fails.
    stream.removeAllListeners('error').on('error', () => undefined);
    // A file that is still being opened would be created after it was deleted.
    if (!stream.closed) {
      await new Promise<void>((resolve) => {
        stream.once('close', () => resolve()).destroy();
      });
    }
    await rm(this.path, { force: true });
  }

  #write(bytes: Buffer): void {
    this.#size += bytes.length;
    if (this.#stream.writable) this.#stream.write(bytes);
  }
}
