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

/** Bytes that wait for a slow disk. Beyond them, packets are dropped and counted. */
const MAX_WAITING = 32 * 1024 * 1024;

/** Observes a connection for the capture. */
export interface CaptureObserver extends ByteObserver {
  /** Call when the connection is closed. */
  closed(isReset: boolean): void;
}

/** Writes all connections to a pcapng file, with their TLS secrets. */
export class CaptureFile {
  readonly #stream: WriteStream;
  readonly #start = now();
  #packets = 0;
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

  /** Adds a connection. A client behind a PROXY header is shown with the address of its proxy. */
  open({ id, peerAddress, peerPort, localAddress, localPort }: Connection): CaptureObserver {
    const connection = new CaptureConnection(
      { address: peerAddress, port: peerPort },
      { address: localAddress, port: localPort },
      `connection ${id}`,
    );
    this.#write(connection.open(now()));
    return {
      received: (bytes) => this.#write(connection.data('client', bytes, now())),
      receivedEnd: () => this.#write(connection.close('client', 'fin', now())),
      sent: (bytes) => this.#write(connection.data('server', bytes, now())),
      sentEnd: () => this.#write(connection.close('server', 'fin', now())),
      closed: (isReset) => {
        if (isReset) this.#write(connection.close('client', 'rst', now()));
        else this.#write(connection.close('server', 'fin', now()));
      },
    };
  }

  /** Adds TLS secrets. Call before the bytes that they decrypt are written. */
  secret(line: Buffer): void {
    this.#write(decryptionSecrets(line));
  }

  close(): void {
    const counts = { received: this.#packets, dropped: this.#dropped };
    this.#stream.end(interfaceStatistics({ start: this.#start, end: now(), ...counts }));
  }

  #write(block: Buffer): void {
    if (block.length === 0) return;
    if (!this.#stream.writable || this.#stream.writableLength > MAX_WAITING) {
      this.#dropped++;
      return;
    }
    this.#packets++;
    this.#stream.write(block);
  }
}

/** Milliseconds since 1970, with fractions. */
function now(): number {
  return performance.timeOrigin + performance.now();
}
