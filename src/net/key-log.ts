import { open } from 'node:fs/promises';

/** A file of TLS secrets, for decrypting captured traffic. */
export interface KeyLog {
  write(line: Buffer): void;
  close(): void;
}

/**
 * Opens a key log (RFC 9850) for appending. Only the owner can read a new file.
 *
 * @param onFailure called once if writing fails; later lines are dropped
 * @throws the system error, whose message contains the path
 */
export async function openKeyLog(file: string, onFailure: (error: Error) => void): Promise<KeyLog> {
  const handle = await open(file, 'a', 0o600);
  const stream = handle.createWriteStream();
  stream.once('error', onFailure);
  return {
    write(line) {
      if (stream.writable) stream.write(line);
    },
    close: () => stream.end(),
  };
}
