import { createCipheriv, randomBytes, type Cipher } from 'node:crypto';
import { endpoint } from '../http/endpoint.ts';
import { int, optional } from '../http/params.ts';
import type { Payload } from '../http/payload.ts';
import { reply } from '../http/reply.ts';

const MiB = 1024 * 1024;
const OCTETS = 'application/octet-stream';

/** Keystream is what the cipher makes of these; also the most octets made at a time. */
const ZEROS = Buffer.alloc(64 * 1024);
/** From here on octets are made to measure; smaller pieces are cut from a block made ahead. */
const SMALL = 16 * 1024;

function keystream(key: Uint8Array): Cipher {
  return createCipheriv('aes-128-ctr', key, Buffer.alloc(16));
}

/** One keystream for the whole process: each of its octets is sent once. */
const source = keystream(randomBytes(16));
let block = Buffer.alloc(0);

/** @returns between 1 and `size` octets that nobody else gets, for a size above 0 */
function fresh(size: number): Buffer {
  if (size > SMALL) return source.update(ZEROS.subarray(0, size));
  if (block.length < size) block = source.update(ZEROS);
  const octets = block.subarray(0, size);
  block = block.subarray(size);
  return octets;
}

function freshPayload(length: number): Payload {
  if (length <= SMALL) return fresh(length);
  return { kind: 'pulled', length, next: fresh };
}

function seededPayload(seed: number, length: number): Payload {
  let cipher: Cipher | undefined;
  return {
    kind: 'pulled',
    length,
    next(size) {
      cipher ??= keystream(keyOf(seed));
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
