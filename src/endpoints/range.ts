import { endpoint } from '../http/endpoint.ts';
import type { Request } from '../http/exchange.ts';
import { int } from '../http/params.ts';
import type { Pulled } from '../http/payload.ts';
import { rangeLength, type ByteRange } from '../http/range.ts';
import { reply, type Reply } from '../http/reply.ts';
import {
  insteadOfWhole,
  LAST_MODIFIED,
  representationResponses,
  wholeFields,
  type Representation,
} from '../http/representation.ts';

const MiB = 1024 * 1024;
const OCTETS = 'application/octet-stream';

const ALPHABET = 'abcdefghijklmnopqrstuvwxyz';
/** Every answer is made of views of this: 256 KiB of it can be had from any letter on. */
const PATTERN = Buffer.alloc(MiB + ALPHABET.length, ALPHABET);

function letters({ first, last }: ByteRange): Pulled {
  let position = first;
  return {
    kind: 'pulled',
    length: rangeLength({ first, last }),
    shared: true,
    next(size) {
      if (position > last) return undefined;
      const start = position % ALPHABET.length;
      const chunk = PATTERN.subarray(start, start + Math.min(size, last - position + 1));
      position += chunk.length;
      return chunk;
    },
  };
}

function answer(request: Request, length: number): Reply {
  const representation: Representation = {
    type: OCTETS,
    length,
    validators: { etag: `"range-${length}"`, lastModified: LAST_MODIFIED },
    slice: letters,
  };
  const instead = insteadOfWhole(request, representation);
  if (instead) return instead;
  const fields = wholeFields(representation);
  return reply(OCTETS, letters({ first: 0, last: length - 1 }), { fields });
}

export const range = endpoint({
  id: 'range',
  methods: ['GET'],
  path: '/range/{n}',
  group: 'content',
  summary: 'n octets, the alphabet over and over; by range and conditional (RFC 9110 13, 14).',
  params: { n: int({ min: 0, max: 10 * MiB }) },
  responses: representationResponses({ description: 'All of it.', content: [OCTETS] }),
  handle: ({ request, params }) => answer(request, params.n),
});
