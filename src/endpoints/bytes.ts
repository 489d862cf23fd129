import { createCipheriv, randomFillSync, type Cipher } from 'node:crypto';
import { endpoint } from '../http/endpoint.ts';
import { int, optional } from '../http/params.ts';
import type { Payload } from '../http/payload.ts';
import { reply } from '../http/reply.ts';

const MiB = 1024 * 1024;
const OCTETS = 'application/octet-stream';

/** Up to here octets are cut from a block made ahead, above they are made to measure. */
const SMALL = 16 * 1024;
const BLOCK = 64 * 1024;
let block = Buffer.alloc(0);

/** The most octets of a piece, and how many pieces are kept for further ones. */
const PIECE = 128 * 1024;
const SPARE = 64;
/** Memory to be filled anew. What is allocated for each piece costs more than its octets do. */
const spare: ArrayBufferLike[] = [];

/** Octets that nobody else gets, up to SMALL of them. */
function cut(size: number): Buffer {
  if (block.length < size) block = randomFillSync(Buffer.allocUnsafeSlow(BLOCK));
  const octets = block.subarray(0, size);
  block = block.subarray(size);
  return octets;
}

function freshPayload(length: number): Payload {
  if (length <= SMALL) return cut(length);
  return {
    kind: 'pulled',
    length,
    next: (size) =>
      randomFillSync(Buffer.from(spare.pop() ?? new ArrayBuffer(PIECE), 0, Math.min(size, PIECE))),
    release({ buffer }) {
      if (spare.length < SPARE) spare.push(buffer);
    },
  };
}

/** Keystream is what the cipher makes of these. */
const ZEROS = Buffer.alloc(64 * 1024);

function seededPayload(seed: number, length: number): Payload {
  let cipher: Cipher | undefined;
  return {
    kind: 'pulled',
    length,
    next(size) {
      cipher ??= createCipheriv('aes-128-ctr', keyOf(seed), Buffer.alloc(16));
      return cipher.update(ZEROS.subarray(0, size));
    },
  };
}

/** The seed as 16 octets, big-endian. */
function keyOf(seed: number): Buffer {
  const key = Buffer.alloc(16);
  key.writeUInt32BE(seed, 12);
  return key;
}

export const bytes = endpoint({
  id: 'bytes',
  methods: ['GET'],
  path: '/bytes/{n}',
  group: 'content',
  summary:
    'n random octets, fresh every time. With `seed` they depend on seed and position alone: ' +
    'the AES-128-CTR keystream whose key is the seed as 16 octets, big-endian, its counter from 0.',
  params: { n: int({ min: 0, max: 10 * MiB }) },
  query: { seed: optional(int({ min: 0, max: 2 ** 32 - 1 }), undefined) },
  responses: { 200: { description: 'The octets.', content: [OCTETS] } },
  handle: ({ params: { n }, query: { seed } }) =>
    reply(OCTETS, seed === undefined ? freshPayload(n) : seededPayload(seed, n)),
});
