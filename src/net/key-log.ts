import { open } from 'node:fs/promises';

/** A file of TLS secrets: whoever has it reads the connections it speaks of. */
export interface KeyLog {
  write(line: Buffer): void;
  close(): void;
}

/**
 * Opens a key log (RFC 9850) to append to; a new file is for its owner's eyes only.
 *
 * @param onFailure told once, when the file takes no more; later lines are dropped
 * @throws the system's error, which names the file
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
