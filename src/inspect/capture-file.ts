import { once } from 'node:events';
import { createWriteStream, type WriteStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { interfaceDescription, interfaceStatistics, sectionHeader } from './pcapng.ts';

/** A pcapng file, which can be read without the others. Times are in milliseconds since 1970. */
export class CaptureFile {
  readonly path: string;
  /** Fulfilled when the file is created; rejected with the system error, which contains the path. */
  readonly created: Promise<void>;
  readonly #stream: WriteStream;
  readonly #start: number;
  /** Bytes of the file, including those that wait for the disk. */
  size = 0;
  #packets = 0;

  /**
   * Creates the file, readable for its owner only.
   *
   * @param path must not exist yet
   * @param application program name in the file
   * @param onFailure called if the file was created but cannot be written. Later packets are dropped
   */
  constructor(path: string, application: string, start: number, onFailure: (error: Error) => void) {
    this.path = path;
    this.#start = start;
    this.#stream = createWriteStream(path, { flags: 'wx', mode: 0o600 });
    this.created = once(this.#stream, 'open').then(() => {
      this.#stream.once('error', onFailure);
    });
    this.#write(Buffer.concat([sectionHeader(application), interfaceDescription('wirebin')]));
  }

  /** Bytes that wait for the disk. */
  get waiting(): number {
    return this.#stream.writableLength;
  }

  get isWritable(): boolean {
    return this.#stream.writable;
  }

  /** Adds blocks of secrets, and then blocks of packets that need them. */
  add(secrets: readonly Buffer[], packets: readonly Buffer[]): void {
    this.#packets += packets.length;
    this.#write(Buffer.concat([...secrets, ...packets]));
  }

  /** Ends the file. @param dropped number of packets that are missing in it */
  end(time: number, dropped: number): void {
    const statistics = { start: this.#start, end: time, received: this.#packets, dropped };
    this.#stream.end(interfaceStatistics(statistics));
  }

  /** Deletes the file. Bytes that wait for the disk are dropped. */
  async delete(): Promise<void> {
    const stream = this.#stream;
    // Pending writes fail when the stream is destroyed.
    stream.removeAllListeners('error').on('error', () => undefined);
    // Wait until the stream is closed: a file that is still being opened would be created after its deletion.
    if (!stream.closed) {
      await new Promise<void>((resolve) => {
        stream.once('close', () => resolve()).destroy();
      });
    }
    await rm(this.path, { force: true });
  }

  #write(bytes: Buffer): void {
    this.size += bytes.length;
    if (this.#stream.writable) this.#stream.write(bytes);
  }
}
