import { endpoint } from '../http/endpoint.ts';
import type { Request } from '../http/exchange.ts';
import { described, int, optional } from '../http/params.ts';
import { MAX_ASKED_CONTENT, type Payload, type Pulled } from '../http/payload.ts';
import { freshOctets, freshPieces, seededOctets } from '../http/random-octets.ts';
import { rangeLength, type ByteRange } from '../http/range.ts';
import { reply, type Reply } from '../http/reply.ts';
import {
  insteadOfWhole,
  LAST_MODIFIED,
  representationResponses,
  wholeFields,
  type Representation,
} from '../http/representation.ts';

const KiB = 1024;
const OCTETS = 'application/octet-stream';
/** Up to here octets are cut from a block made ahead, above they are made to measure. */
const SMALL = 16 * KiB;

/** What makes random octets reproducible. */
export const seedParameter = described(
  'Makes the result the same every time.',
  optional(int({ min: 0, max: 2 ** 32 - 1 }), undefined),
);

/** Nobody gets these octets again, so there is nothing to validate or to resume. */
function fresh(length: number): Payload {
  return length <= SMALL ? freshOctets(length) : { kind: 'pulled', length, ...freshPieces };
}

function octetsOf(seed: number, range: ByteRange): Pulled {
  const length = rangeLength(range);
  const make = seededOctets(seed, range.first);
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

/** The octets of the seed, by range and conditional: they are the same for ever. */
function seeded(request: Request, length: number, seed: number): Reply {
  const representation: Representation = {
    type: OCTETS,
    length,
    validators: { etag: `"bytes-${length}-${seed}"`, lastModified: LAST_MODIFIED },
    slice: (range) => octetsOf(seed, range),
  };
  const instead = insteadOfWhole(request, representation);
  if (instead) return instead;
  const fields = wholeFields(representation);
  return reply(OCTETS, octetsOf(seed, { first: 0, last: length - 1 }), { fields });
}

export const bytes = endpoint({
  id: 'bytes',
  methods: ['GET'],
  path: '/bytes/{n}',
  group: 'content',
  summary:
    'n random octets, fresh every time. With `seed` they are the AES-128-CTR keystream whose key is ' +
    'the seed as 16 octets, big-endian, its counter from 0, by range and conditional.',
  params: { n: described('How many bytes.', int({ min: 0, max: MAX_ASKED_CONTENT })) },
  query: { seed: seedParameter },
  responses: representationResponses({
    description: 'The octets; the fields come with those of a seed.',
    content: [OCTETS],
  }),
  handle: ({ request, params: { n }, query: { seed } }) =>
    seed === undefined ? reply(OCTETS, fresh(n)) : seeded(request, n, seed),
});
