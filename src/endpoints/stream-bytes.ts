import { endpoint } from '../http/endpoint.ts';
import { described, int, invalidParameter, optional } from '../http/params.ts';
import { MAX_ASKED_CONTENT, type Streamed } from '../http/payload.ts';
import { freshOctets, seededOctets } from '../http/random-octets.ts';
import { reply } from '../http/reply.ts';
import { seedParameter } from './bytes.ts';

const KiB = 1024;
const OCTETS = 'application/octet-stream';
/** Each costs about as much as a small answer. */
export const MAX_CHUNKS = 100 * KiB;

/**
 * @param chunkSize octets of a chunk
 * @param make gives the next octets, between 1 and `size` of them
 */
export function chunks(
  length: number,
  chunkSize: number,
  make: (size: number) => Uint8Array = freshOctets,
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
    'The octets of /bytes/{n} without their length, on HTTP/1.1 in chunks of `chunk_size` octets.',
  params: { n: described('How many bytes.', int({ min: 0, max: MAX_ASKED_CONTENT })) },
  query: {
    seed: seedParameter,
    chunk_size: described('Bytes of a chunk.', optional(int({ min: 1, max: 64 * KiB }), 10 * KiB)),
  },
  responses: { 200: { description: 'The octets.', content: [OCTETS] } },
  handle({ params: { n }, query: { seed, chunk_size: chunkSize } }) {
    const count = Math.ceil(n / chunkSize);
    if (count > MAX_CHUNKS) {
      const what = `makes ${count} chunks of n=${n}, which exceeds the maximum of ${MAX_CHUNKS}`;
      throw invalidParameter('chunk_size', String(chunkSize), what);
    }
    return reply(
      OCTETS,
      chunks(n, chunkSize, seed === undefined ? freshOctets : seededOctets(seed)),
    );
  },
});
