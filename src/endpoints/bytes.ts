import { endpoint } from '../server/endpoint.ts';
import type { Request } from '../server/request.ts';
import { described, int, optional } from '../server/params.ts';
import { MAX_REQUESTED_CONTENT, type Payload, type PullSource } from '../server/payload.ts';
import { pooledRandomBytes, randomPieces, seededBytes } from '../server/random-bytes.ts';
import { rangeLength, type ByteRange } from '../http/range.ts';
import { reply, type Reply } from '../server/reply.ts';
import {
  conditionalOrRangeResponse,
  LAST_MODIFIED,
  representationResponses,
  fullResponseFields,
  type Representation,
} from '../server/representation.ts';

const KiB = 1024;
const BYTES = 'application/octet-stream';
/** Up to here bytes are cut from a block made ahead, above they are made to measure. */
const SMALL = 16 * KiB;

/** What makes random bytes reproducible. */
export const seedParameter = described(
  'Makes the result the same every time.',
  optional(int({ min: 0, max: 2 ** 32 - 1 }), undefined),
);

/** Nobody gets these bytes again, so there is nothing to validate or to resume. */
function fresh(length: number): Payload {
  return length <= SMALL ? pooledRandomBytes(length) : { kind: 'pulled', length, ...randomPieces };
}

function bytesOf(seed: number, range: ByteRange): PullSource {
  const length = rangeLength(range);
  const make = seededBytes(seed, range.first);
  let left = length;
  return {
    kind: 'pulled',
    length,
    next(size) {
      if (left === 0) return undefined;
      const piece = make(Math.min(size, left));
      left -= piece.length;
      return piece;
    },
  };
}

/** The bytes of the seed, by range and conditional: they are the same for ever. */
function seeded(request: Request, length: number, seed: number): Reply {
  const representation: Representation = {
    type: BYTES,
    length,
    validators: { etag: `"bytes-${length}-${seed}"`, lastModified: LAST_MODIFIED },
    slice: (range) => bytesOf(seed, range),
  };
  const instead = conditionalOrRangeResponse(request, representation);
  if (instead) return instead;
  const fields = fullResponseFields(representation);
  return reply(BYTES, bytesOf(seed, { first: 0, last: length - 1 }), { fields });
}

export const bytes = endpoint({
  id: 'bytes',
  methods: ['GET'],
  path: '/bytes/{n}',
  group: 'content',
  summary:
    'n random bytes, fresh every time. With `seed` they are the AES-128-CTR keystream whose key is ' +
    'the seed as 16 bytes, big-endian, its counter from 0, by range and conditional.',
  params: { n: described('How many bytes.', int({ min: 0, max: MAX_REQUESTED_CONTENT })) },
  query: { seed: seedParameter },
  responses: representationResponses({
    description: 'The bytes; the fields come with those of a seed.',
    content: [BYTES],
  }),
  handle: ({ request, params: { n }, query: { seed } }) =>
    seed === undefined ? reply(BYTES, fresh(n)) : seeded(request, n, seed),
});
