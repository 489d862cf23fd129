import type { Readable } from 'node:stream';
import { Problem } from '../kit/problem.ts';

const EMPTY = Buffer.alloc(0);

/**
 * Collects a request's content.
 *
 * What goes beyond the limit is read on and thrown away, so that the answer reaches a client that
 * is still sending and an HTTP/1.1 connection stays in step (RFC 9110 15.5.14).
 *
 * @param limit in octets
 * @throws Problem content-too-large, invalid-content when it ends early
 */
export function readContent(incoming: Readable, limit: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let length = 0;
    const onData = (chunk: Buffer): void => {
      length += chunk.length;
      if (length <= limit) {
        chunks.push(chunk);
        return;
      }
      settle();
      discard(incoming);
      reject(tooLarge(limit));
    };
    const onEnd = (): void => {
      settle();
      resolve(chunks.length === 1 ? (chunks[0] ?? EMPTY) : Buffer.concat(chunks, length));
    };
    const onLost = (error?: unknown): void => {
      settle();
      reject(
        error instanceof Problem
          ? error
          : new Problem('invalid-content', 'the content ended before it was complete'),
      );
    };
    const settle = (): void => {
      incoming.off('data', onData).off('end', onEnd).off('close', onLost).off('error', onLost);
    };
    incoming.on('data', onData).on('end', onEnd).on('close', onLost).on('error', onLost);
  });
}

/** Reads on to the end of content that nobody wants. */
export function discard(incoming: Readable): void {
  incoming.on('error', () => undefined);
  incoming.resume();
}

export function tooLarge(limit: number): Problem {
  return new Problem('content-too-large', `the content exceeds the limit of ${limit} octets`);
}
