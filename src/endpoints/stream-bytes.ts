import { endpoint } from '../server/endpoint.ts';
import { described, int, optional } from '../server/params.ts';
import { invalidParameter } from '../http/problem.ts';
import { MAX_REQUESTED_CONTENT, type Streamed } from '../server/payload.ts';
import { pooledRandomBytes, seededBytes } from '../server/random-bytes.ts';
import { reply } from '../server/reply.ts';
import { seedParameter } from './bytes.ts';

const KiB = 1024;
const BYTES = 'application/octet-stream';
/** Each costs about as much as a small answer. */
export const MAX_CHUNKS = 100 * KiB;

/**
 * @param chunkSize bytes of a chunk
 * @param make gives the next bytes, between 1 and `size` of them
 */
export function chunks(
  length: number,
  chunkSize: number,
  make: (size: number) => Uint8Array = pooledRandomBytes,
): Streamed {
  let left = length;
  return {
    kind: 'streamed',
    next(size) {
      if (left === 0) return undefined;
      const chunk = make(Math.min(chunkSize, size, left));
      left -= chunk.length;
      return chunk;
    },
  };
}

export const streamBytes = endpoint({
  id: 'stream_bytes',
  methods: ['GET'],
  path: '/stream-bytes/{n}',
  group: 'content',
  summary:
    'The bytes of /bytes/{n} without their length, on HTTP/1.1 in chunks of `chunk_size` bytes.',
  params: { n: described('How many bytes.', int({ min: 0, max: MAX_REQUESTED_CONTENT })) },
  query: {
    seed: seedParameter,
    chunk_size: described('Bytes of a chunk.', optional(int({ min: 1, max: 64 * KiB }), 10 * KiB)),
  },
  responses: { 200: { description: 'The bytes.', content: [BYTES] } },
  handle({ params: { n }, query: { seed, chunk_size: chunkSize } }) {
    const count = Math.ceil(n / chunkSize);
    if (count > MAX_CHUNKS) {
      const what = `makes ${count} chunks of n=${n}, which exceeds the maximum of ${MAX_CHUNKS}`;
      throw invalidParameter('chunk_size', String(chunkSize), what);
    }
    return reply(
      BYTES,
      chunks(n, chunkSize, seed === undefined ? pooledRandomBytes : seededBytes(seed)),
    );
  },
});
