import { open } from 'node:fs/promises';
import type { WriteStream } from 'node:fs';
import { join } from 'node:path';
import type { Connection } from '../net/connection.ts';
import type { ByteObserver } from '../net/inspector.ts';
import { CaptureConnection } from './capture-connection.ts';
import {
  decryptionSecrets,
  interfaceDescription,
  interfaceStatistics,
  sectionHeader,
} from './pcapng.ts';
import type { Sender } from './protocol-reader.ts';

/** Bytes that wait for a slow disk. Beyond them, packets are dropped and counted. */
const MAX_WAITING = 32 * 1024 * 1024;

/**
 * Milliseconds that packets wait. OpenSSL reports the client's secret only after it has read the client's
 * Finished, which may come with the first request.
 */
const FLUSH_DELAY = 20;

/** Observes a connection for the capture. */
export interface CaptureObserver extends Pick<ByteObserver, 'received' | 'sent'> {
  /** Call at the end of each direction. */
  ended(from: Sender, how: 'fin' | 'rst'): void;
}

/** Writes all connections to a pcapng file, with their TLS secrets. */
export class CaptureFile {
  readonly #stream: WriteStream;
  readonly #start = now();
  readonly #secrets: Buffer[] = [];
  readonly #packets: Buffer[] = [];
  #packetBytes = 0;
  #flushTimer: NodeJS.Timeout | undefined;
  #packetCount = 0;
  #dropped = 0;

  private constructor(stream: WriteStream) {
    this.#stream = stream;
  }

  /**
   * Creates a file in the directory that only its owner can read, named after the time and the process.
   *
   * @param onFailure called once if writing fails; later packets are dropped
   * @throws the system error, which names the file
   */
  static async create(
    directory: string,
    application: string,
    onFailure: (error: Error) => void,
  ): Promise<CaptureFile> {
    const time = new Date().toISOString().replaceAll(/[:.]/g, '-');
    const file = join(directory, `wirebin-${time}-${process.pid}.pcapng`);
    const handle = await open(file, 'wx', 0o600);
    const stream = handle.createWriteStream();
    stream.once('error', onFailure);
    stream.write(Buffer.concat([sectionHeader(application), interfaceDescription('wirebin')]));
    return new CaptureFile(stream);
  }

  /** Adds a connection. With a PROXY header, packets have the address of the proxy. */
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

  /** Adds a TLS secret, at most `FLUSH_DELAY` after the bytes that it decrypts. */
  secret(line: Buffer): void {
    this.#secrets.push(line);
    this.#scheduleFlush();
  }

  close(): void {
    this.#flush();
    const counts = { received: this.#packetCount, dropped: this.#dropped };
    this.#stream.end(interfaceStatistics({ start: this.#start, end: now(), ...counts }));
  }

  #write(block: Buffer): void {
    if (block.length === 0) return;
    const waiting = this.#stream.writableLength + this.#packetBytes;
    if (!this.#stream.writable || waiting > MAX_WAITING) {
      this.#dropped++;
      return;
    }
    this.#packetCount++;
    this.#packetBytes += block.length;
    this.#packets.push(block);
    this.#scheduleFlush();
  }

  #scheduleFlush(): void {
    this.#flushTimer ??= setTimeout(() => this.#flush(), FLUSH_DELAY).unref();
  }

  /** Secrets first: Wireshark decrypts only packets after them. */
  #flush(): void {
    clearTimeout(this.#flushTimer);
    this.#flushTimer = undefined;
    const secrets = this.#secrets.splice(0);
    const blocks = secrets.length > 0 ? [decryptionSecrets(Buffer.concat(secrets))] : [];
    blocks.push(...this.#packets.splice(0));
    this.#packetBytes = 0;
    if (blocks.length > 0 && this.#stream.writable) this.#stream.write(Buffer.concat(blocks));
  }
}

/** Milliseconds since 1970, with fractions. */
function now(): number {
  return performance.timeOrigin + performance.now();
}
