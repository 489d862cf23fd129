import { turns } from '../net/scheduler.ts';
import type { PullSource } from './payload.ts';
import type { Request } from './request.ts';

/** Bytes read at a time. Hashing them takes about 0.2 ms. */
const PIECE = 64 * 1024;

/**
 * Reads all pieces, with breaks for the event loop.
 *
 * @throws AbortError if the client disconnects
 */
export function eachPiece(
  { signal }: Request,
  source: PullSource,
  use: (piece: Uint8Array) => void,
): Promise<void> {
  return new Promise((resolve, reject) => {
    let left = source.length;
    const step = (): void => {
      try {
        signal.throwIfAborted();
        const piece = left > 0 ? source.next(Math.min(PIECE, left)) : undefined;
        if (piece === undefined) {
          resolve();
          return;
        }
        left -= piece.length;
        use(piece);
        source.release?.(piece);
        turns.run(step);
      } catch (error) {
        reject(error);
      }
    };
    turns.run(step);
  });
}

export async function allBytes(request: Request, source: PullSource): Promise<Buffer> {
  const bytes = Buffer.allocUnsafe(source.length);
  let end = 0;
  await eachPiece(request, source, (piece) => {
    bytes.set(piece, end);
    end += piece.length;
  });
  return bytes;
}
