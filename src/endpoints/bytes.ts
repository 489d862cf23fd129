import { endpoint } from '../http/endpoint.ts';
import { int, optional } from '../http/params.ts';
import type { Payload } from '../http/payload.ts';
import { freshOctets, freshPieces, seededOctets } from '../http/random-octets.ts';
import { reply } from '../http/reply.ts';

const KiB = 1024;
const OCTETS = 'application/octet-stream';
/** Up to here octets are cut from a block made ahead, above they are made to measure. */
const SMALL = 16 * KiB;

/** What makes random octets reproducible. */
export const seedParameter = optional(int({ min: 0, max: 2 ** 32 - 1 }), undefined);

function payloadOf(length: number, seed: number | undefined): Payload {
  if (seed !== undefined) return { kind: 'pulled', length, next: seededOctets(seed) };
  return length <= SMALL ? freshOctets(length) : { kind: 'pulled', length, ...freshPieces };
}

export const bytes = endpoint({
  id: 'bytes',
  methods: ['GET'],
  path: '/bytes/{n}',
  group: 'content',
  summary:
    'n random octets, fresh every time. With `seed` they depend on seed and position alone: ' +
    'the AES-128-CTR keystream whose key is the seed as 16 octets, big-endian, its counter from 0.',
  params: { n: int({ min: 0, max: 10 * KiB * KiB }) },
  query: { seed: seedParameter },
  responses: { 200: { description: 'The octets.', content: [OCTETS] } },
  handle: ({ params: { n }, query: { seed } }) => reply(OCTETS, payloadOf(n, seed)),
});
