import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Connection } from '../net/connection.ts';
import type { ByteObserver } from '../net/inspector.ts';
import { CaptureConnection } from './capture-connection.ts';
import { CaptureFile } from './capture-file.ts';
import { decryptionSecrets } from './pcapng.ts';
import type { Sender } from './protocol-reader.ts';

/** Bytes that may wait for a slow disk. Further packets are dropped and counted. */
const MAX_WAITING = 32 * 1024 * 1024;

/**
 * Milliseconds by which packets are delayed, so that secrets precede them: OpenSSL reports the client's secret only
 * after it has read the client's Finished, which may arrive together with the first request.
 */
const FLUSH_DELAY = 20;

/** Observes the bytes of one connection for the capture. */
export interface CaptureObserver extends Pick<ByteObserver, 'received' | 'sent'> {
  /** Call when a direction of the connection ends. */
  ended(from: Sender, how: 'fin' | 'rst'): void;
}

export interface CaptureOptions {
  /** Created if it does not exist, but not its parent. */
  readonly directory: string;
  /** Program name in the files. */
  readonly application: string;
  /** Bytes after which the next file begins. A single read or write is never divided. */
  readonly maxSize: number;
  /** Number of files that are kept. The oldest one is deleted first. */
  readonly maxFiles: number;
  /** Called when a file other than the first begins. @param deleted path of the oldest file, if it was deleted */
  readonly onNextFile: (path: string, deleted: string | undefined) => void;
  /** Called if writing or deleting fails. The capture ends if a file cannot be written. */
  readonly onFailure: (error: Error) => void;
}

/** Writes the packets of all connections, with their TLS secrets, to a ring of pcapng files. */
export class Capture {
  readonly #options: CaptureOptions;
  /** Common beginning of the paths of all files, with time and process id. */
  readonly #path: string;
  /** The files that are kept. The last one is being written. */
  readonly #files: Readonly<CaptureFile>[] = [];
  #fileCount = 0;
  readonly #secrets: Buffer[] = [];
  readonly #packets: Buffer[] = [];
  #packetBytes = 0;
  /** Bytes that were waiting for the disk after the last flush. */
  #flushedBytes = 0;
  #flushTimer: NodeJS.Timeout | undefined;
  /** Number of packets that are missing in the current file. */
  #dropped = 0;

  private constructor(options: CaptureOptions) {
    this.#options = options;
    const time = new Date().toISOString().replaceAll(/[:.]/g, '-');
    this.#path = join(options.directory, `wirebin-${time}-${process.pid}`);
  }

  /** Creates the directory and the first file. @throws the system error, which contains the path */
  static async create(options: CaptureOptions): Promise<Capture> {
    // Workers that start at the same time all try to create the directory.
    await mkdir(options.directory, { mode: 0o700 }).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error;
    });
    const capture = new Capture(options);
    await capture.#begin().created;
    return capture;
  }

  /** Adds a connection. Behind a proxy that sends PROXY headers, its packets have the address of the proxy. */
  open(
    connection: Pick<Connection, 'id' | 'peerAddress' | 'peerPort' | 'localAddress' | 'localPort'>,
  ): CaptureObserver {
    const { id, peerAddress, peerPort, localAddress, localPort } = connection;
    const packets = new CaptureConnection(
      { address: peerAddress, port: peerPort },
      { address: localAddress, port: localPort },
      `connection ${id}`,
    );
    this.#write(packets.open(now()));
    return {
      received: (bytes) => this.#write(packets.data('client', bytes, now())),
      sent: (bytes) => this.#write(packets.data('server', bytes, now())),
      ended: (from, how) => this.#write(packets.close(from, how, now())),
    };
  }

  /** Adds a TLS secret. Must be called within `FLUSH_DELAY` of the bytes that it decrypts. */
  secret(line: Buffer): void {
    this.#secrets.push(line);
    this.#scheduleFlush();
  }

  close(): void {
    this.#flush();
    this.#endFile();
  }

  get #file(): Readonly<CaptureFile> | undefined {
    return this.#files.at(-1);
  }

  #begin(): CaptureFile {
    const { application, onFailure } = this.#options;
    const number = String(++this.#fileCount).padStart(5, '0');
    const file = new CaptureFile(`${this.#path}-${number}.pcapng`, application, now(), onFailure);
    this.#files.push(file);
    return file;
  }

  #endFile(): void {
    this.#file?.end(now(), this.#dropped);
    this.#dropped = 0;
  }

  /** Begins the next file, and deletes the oldest one if there are too many. */
  #beginNext(): CaptureFile {
    const { maxFiles, onNextFile, onFailure } = this.#options;
    this.#endFile();
    const next = this.#begin();
    next.created.catch(onFailure);
    const oldest = this.#files.length > maxFiles ? this.#files.shift() : undefined;
    oldest?.delete().catch(onFailure);
    onNextFile(next.path, oldest?.path);
    return next;
  }

  #write(block: Buffer): void {
    if (block.length === 0) return;
    const isWritable = this.#file?.isWritable === true;
    // Even if this packet is dropped: only a flush updates the number of bytes that wait for the disk.
    if (isWritable) this.#scheduleFlush();
    if (!isWritable || this.#flushedBytes + this.#packetBytes > MAX_WAITING) {
      this.#dropped++;
      return;
    }
    this.#packetBytes += block.length;
    this.#packets.push(block);
  }

  #scheduleFlush(): void {
    this.#flushTimer ??= setTimeout(() => this.#flush(), FLUSH_DELAY).unref();
  }

  /** Writes secrets before packets, because Wireshark does not decrypt packets that precede their secret. */
  #flush(): void {
    clearTimeout(this.#flushTimer);
    this.#flushTimer = undefined;
    const lines = this.#secrets.splice(0);
    const secrets = lines.length > 0 ? [decryptionSecrets(Buffer.concat(lines))] : [];
    const packets = this.#packets.splice(0);
    this.#packetBytes = 0;
    if (secrets.length + packets.length > 0) this.#add(secrets, packets);
    this.#flushedBytes = this.#files.reduce((sum, each) => sum + each.waiting, 0);
  }

  /** Adds packets to the current file and, when it is full, to further ones. All of them get the secrets. */
  #add(secrets: readonly Buffer[], packets: Buffer[]): void {
    const { maxSize } = this.#options;
    let file = this.#file;
    do {
      if (!file?.isWritable) return;
      if (file.size >= maxSize) file = this.#beginNext();
      file.add(secrets, packets.splice(0, countWithin(packets, maxSize - file.size)));
    } while (packets.length > 0);
  }
}

/** Number of packets that fill a file: the last of them reaches or exceeds `room`. */
function countWithin(packets: readonly Buffer[], room: number): number {
  let bytes = 0;
  const last = packets.findIndex(({ length }) => (bytes += length) >= room);
  return last < 0 ? packets.length : last + 1;
}

/** Milliseconds since 1970, with fractions. */
function now(): number {
  return performance.timeOrigin + performance.now();
}
