import { endpoint } from '../server/endpoint.ts';
import type { Request } from '../server/request.ts';
import { described, int, optional } from '../server/params.ts';
import { MAX_REQUESTED_CONTENT, pullSource, repeatable, type Payload } from '../server/payload.ts';
import { pooledRandomBytes, randomContent, seededBytes } from '../server/random-bytes.ts';
import { rangeLength } from '../http/range.ts';
import { BYTES_TYPE, reply, type Reply } from '../server/reply.ts';
import {
  LAST_MODIFIED,
  representationReply,
  representationResponses,
} from '../server/representation.ts';

const KiB = 1024;
/** Bytes up to which a response is a slice of a pregenerated block. */
const MAX_PREGENERATED = 16 * KiB;

export const seedParameter = described(
  'Makes the result reproducible.',
  optional(int({ min: 0, max: 2 ** 32 - 1 }), undefined),
);

/** Random bytes, which are never sent again: the response has no validators, and ignores Range. */
function fresh(length: number): Payload {
  return length <= MAX_PREGENERATED ? pooledRandomBytes(length) : randomContent(length);
}

/** A reply with reproducible bytes, which supports Range and conditional requests. */
function seeded(request: Request, length: number, seed: number): Reply {
  return representationReply(request, {
    type: BYTES_TYPE,
    length,
    validators: { etag: `"bytes-${length}-${seed}"`, lastModified: LAST_MODIFIED },
    slice: (range) =>
      repeatable(() => pullSource(rangeLength(range), seededBytes(seed, range.first))),
  });
}

export const bytes = endpoint({
  path: '/bytes/{n}',
  group: 'content',
  summary:
    'n random bytes. With `seed` they are reproducible (AES-128-CTR keystream, key: the seed as a ' +
    '16-byte big-endian integer, counter 0), and Range and conditional requests work.',
  params: { n: described('Number of bytes.', int({ min: 0, max: MAX_REQUESTED_CONTENT })) },
  query: { seed: seedParameter },
  responses: representationResponses({
    description: 'The bytes. Validators and Accept-Ranges are sent with `seed` only.',
    content: [BYTES_TYPE],
  }),
  handle: ({ request, params: { n }, query: { seed } }) =>
    seed === undefined ? reply(BYTES_TYPE, fresh(n)) : seeded(request, n, seed),
});
