import { endpoint } from '../server/endpoint.ts';
import { described, int, optional } from '../server/params.ts';
import { invalidParameter } from '../http/problem.ts';
import { MAX_REQUESTED_CONTENT, pullSource, type Streamed } from '../server/payload.ts';
import { pooledRandomBytes, seededBytes } from '../server/random-bytes.ts';
import { BYTES_TYPE, reply } from '../server/reply.ts';
import { seedParameter } from './bytes.ts';

const KiB = 1024;
/** Maximum number of chunks of a response: a chunk costs about as much as a small response. */
export const MAX_CHUNKS = 100 * KiB;

/**
 * A payload that is sent in chunks of this size.
 *
 * @param chunkSize in bytes
 * @param generate returns the next bytes, between 1 and `size` of them
 */
export function chunkedBytes(
  length: number,
  chunkSize: number,
  generate: (size: number) => Uint8Array,
): Streamed {
  const source = pullSource(length, generate);
  return { kind: 'streamed', next: (size) => source.next(Math.min(chunkSize, size)) };
}

export const streamBytes = endpoint({
  path: '/stream-bytes/{n}',
  group: 'content',
  summary:
    'The bytes of /bytes/{n} without Content-Length; on HTTP/1.1 in chunks of `chunk_size` bytes.',
  params: { n: described('Number of bytes.', int({ min: 0, max: MAX_REQUESTED_CONTENT })) },
  query: {
    seed: seedParameter,
    chunk_size: described('Bytes per chunk.', optional(int({ min: 1, max: 64 * KiB }), 10 * KiB)),
  },
  responses: { 200: { description: 'The bytes.', content: [BYTES_TYPE] } },
  handle({ params: { n }, query: { seed, chunk_size: chunkSize } }) {
    const count = Math.ceil(n / chunkSize);
    if (count > MAX_CHUNKS) {
      const reason = `makes ${count} chunks of n=${n}, which exceeds the maximum of ${MAX_CHUNKS}`;
      throw invalidParameter('chunk_size', String(chunkSize), reason);
    }
    const generate = seed === undefined ? pooledRandomBytes : seededBytes(seed);
    return reply(BYTES_TYPE, chunkedBytes(n, chunkSize, generate));
  },
});
