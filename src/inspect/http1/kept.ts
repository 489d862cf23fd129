import type { RawMessage } from './message.ts';

/** Memory of a message and a chunk without their text, in bytes. */
export const MESSAGE_COST = 400;
export const CHUNK_COST = 170;
/** Memory of a message, in bytes, about. */
export function sizeOf({ head, trailers, chunks }: RawMessage): number {
  let size = MESSAGE_COST + head.text.length + (trailers?.text.length ?? 0);
  for (const { line } of chunks) size += line.length + CHUNK_COST;
  return size;
}

/** Copies what is kept of a long text: a slice would keep all of it in memory. */
export function shortened(text: string, length: number, limit: number): string {
  if (length <= limit) return text.slice(0, length);
  return copyOf(text.slice(0, limit));
}

export function copyOf(text: string): string {
  return Buffer.from(text, 'latin1').toString('latin1');
}
