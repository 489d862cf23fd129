import { open } from 'node:fs/promises';

/** A file of TLS secrets, with which the connections in it can be decrypted. */
export interface KeyLog {
  write(line: Buffer): void;
  close(): void;
}

/**
 * Opens a key log (RFC 9850) for appending; a new file is readable only by its owner.
 *
 * @param onFailure called once if writing fails; later lines are dropped
 * @throws the system error, which names the file
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
