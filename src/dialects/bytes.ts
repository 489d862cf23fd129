import { chunks, MAX_CHUNKS } from '../endpoints/stream-bytes.ts';
import { endpoint, type Endpoint } from '../server/endpoint.ts';
import { described, optional, type Parameter } from '../server/params.ts';
import { invalidParameter } from '../http/problem.ts';
import { pooledRandomBytes, randomPieces } from '../server/random-bytes.ts';
import { reply } from '../server/reply.ts';
import { seed } from './params.ts';

const BYTES = 'application/octet-stream';
const CHUNK = 10 * 1024;

/** A generator as another language has it. */
interface Random {
  byte(): number;
}

interface ByteOptions {
  /** How many bytes. */
  readonly n: Parameter<number>;
  readonly chunkSize: Parameter<number>;
  /** What makes the bytes of a seed. */
  readonly seeded: (seed: bigint) => Random;
}

/** Gives the next bytes of a seed, up to `size` of them. */
function source(random: Random): (size: number) => Buffer {
  return (size) => {
    const made = Buffer.allocUnsafe(size);
    for (let at = 0; at < size; at++) made[at] = random.byte();
    return made;
  };
}

/** /bytes/{n} and /stream-bytes/{n} whose seeds mean what they mean in the original. */
export function bytes({ n, chunkSize, seeded }: ByteOptions): readonly Endpoint[] {
  const shared = {
    methods: ['GET'],
    group: 'content',
    params: { n: described('How many bytes.', n) },
    responses: { 200: { description: 'The bytes.', content: [BYTES] } },
  } as const;
  return [
    endpoint({
      ...shared,
      id: 'bytes',
      path: '/bytes/{n}',
      summary: 'n random bytes, fresh every time, or those of the seed.',
      query: { seed },
      handle({ params: { n: length }, query }) {
        const pieces =
          query.seed === undefined ? randomPieces : { next: source(seeded(query.seed)) };
        return reply(BYTES, { kind: 'pulled', length, ...pieces });
      },
    }),
    endpoint({
      ...shared,
      id: 'stream_bytes',
      path: '/stream-bytes/{n}',
      summary: 'The same without their length, on HTTP/1.1 in chunks of `chunk_size` bytes.',
      query: { seed, chunk_size: described('Bytes of a chunk.', optional(chunkSize, CHUNK)) },
      handle({ params: { n: length }, query }) {
        const size = query.chunk_size < 1 ? CHUNK : query.chunk_size;
        if (length / size > MAX_CHUNKS) {
          const what = `makes more than ${MAX_CHUNKS} chunks of n=${length}`;
          throw invalidParameter('chunk_size', String(size), what);
        }
        const make = query.seed === undefined ? pooledRandomBytes : source(seeded(query.seed));
        return reply(BYTES, chunks(length, size, make));
      },
    }),
  ];
}
