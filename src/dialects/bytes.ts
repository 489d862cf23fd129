import { chunkedBytes, MAX_CHUNKS } from '../endpoints/stream-bytes.ts';
import { override, type Override } from '../server/endpoint.ts';
import { described, optional, type Parameter } from '../server/params.ts';
import { invalidParameter } from '../http/problem.ts';
import { pullSource, repeatable } from '../server/payload.ts';
import { pooledRandomBytes, randomContent } from '../server/random-bytes.ts';
import { BYTES_TYPE, reply } from '../server/reply.ts';
import { seed } from './params.ts';

const CHUNK = 10 * 1024;

/** A pseudo-random generator of another language. */
interface Random {
  byte(): number;
}

interface ByteOptions {
  readonly n: Parameter<number>;
  readonly chunkSize: Parameter<number>;
  readonly createRandom: (seed: bigint) => Random;
}

/** Makes a function that returns the next `size` bytes. */
function byteSource(random: Random): (size: number) => Buffer {
  return (size) => {
    const chunk = Buffer.allocUnsafe(size);
    for (let index = 0; index < size; index++) chunk[index] = random.byte();
    return chunk;
  };
}

/** /bytes/{n} and /stream-bytes/{n}, which return the same bytes for a seed as the original programs. */
export function bytes({ n, chunkSize, createRandom }: ByteOptions): readonly Override[] {
  const shared = {
    params: { n: described('Number of bytes.', n) },
    responses: { 200: { description: 'The bytes.', content: [BYTES_TYPE] } },
  };
  return [
    override('/bytes/{n}', {
      ...shared,
      summary: 'n random bytes, reproducible with `seed`.',
      query: { seed },
      handle({ params: { n: length }, query }) {
        const { seed: given } = query;
        const payload =
          given === undefined
            ? randomContent(length)
            : repeatable(() => pullSource(length, byteSource(createRandom(given))));
        return reply(BYTES_TYPE, payload);
      },
    }),
    override('/stream-bytes/{n}', {
      ...shared,
      query: { seed, chunk_size: described('Bytes per chunk.', optional(chunkSize, CHUNK)) },
      handle({ params: { n: length }, query }) {
        const size = query.chunk_size < 1 ? CHUNK : query.chunk_size;
        if (length / size > MAX_CHUNKS) {
          const reason = `makes more than ${MAX_CHUNKS} chunks of n=${length}`;
          throw invalidParameter('chunk_size', String(size), reason);
        }
        const generate =
          query.seed === undefined ? pooledRandomBytes : byteSource(createRandom(query.seed));
        return reply(BYTES_TYPE, chunkedBytes(length, size, generate));
      },
    }),
  ];
}
