import { byteranges, BYTERANGES } from '../http/byteranges.ts';
import { evaluatePreconditions, ifRangeHolds } from '../http/conditional.ts';
import { endpoint } from '../http/endpoint.ts';
import type { Request } from '../http/exchange.ts';
import { fieldValue } from '../http/fields.ts';
import { int } from '../http/params.ts';
import type { Pulled } from '../http/payload.ts';
import { contentRange, rangeLength, selectRanges, type ByteRange } from '../http/range.ts';
import { empty, reply, type Reply } from '../http/reply.ts';
import { Problem } from '../kit/problem.ts';

const MiB = 1024 * 1024;
const OCTETS = 'application/octet-stream';
const LAST_MODIFIED = 'Mon, 01 Jan 2024 00:00:00 GMT';

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

/** The ranges to send; undefined for the whole representation. */
function rangesOf(
  { method, fields }: Request,
  length: number,
  validators: { etag: string; lastModified: string },
): readonly ByteRange[] | undefined {
  // Range is defined for GET alone (RFC 9110 14.2).
  const field = method === 'GET' ? fieldValue(fields, 'range') : undefined;
  if (field === undefined || !ifRangeHolds(fields, validators)) return undefined;
  return selectRanges(field, length);
}

function answer(request: Request, length: number): Reply {
  const validators = { etag: `"range-${length}"`, lastModified: LAST_MODIFIED };
  const fields = ['ETag', validators.etag, 'Last-Modified', LAST_MODIFIED];
  const verdict = evaluatePreconditions(request.method, request.fields, validators);
  if (verdict === 'not-modified') return empty(304, fields);
  if (verdict === 'failed') {
    throw new Problem('precondition-failed', `the current entity tag is ${validators.etag}`);
  }
  fields.push('Accept-Ranges', 'bytes');
  const ranges = rangesOf(request, length, validators);
  if (!ranges) return reply(OCTETS, letters({ first: 0, last: length - 1 }), { fields });
  const [range] = ranges;
  if (!range) {
    throw new Problem('range-not-satisfiable', `there are ${length} octets, from 0`, [
      'Content-Range',
      contentRange(undefined, length),
    ]);
  }
  if (ranges.length > 1) {
    const payload = byteranges(ranges, { type: OCTETS, length }, letters);
    return reply(BYTERANGES, payload, { status: 206, fields });
  }
  fields.push('Content-Range', contentRange(range, length));
  return reply(OCTETS, letters(range), { status: 206, fields });
}

const validatorFields = { ETag: 'Strong, quoted.', 'Last-Modified': 'Fixed.' };
const rangeFields = { ...validatorFields, 'Accept-Ranges': '`bytes`' };

export const range = endpoint({
  id: 'range',
  methods: ['GET'],
  path: '/range/{n}',
  group: 'content',
  summary: 'n octets, the alphabet over and over; by range and conditional (RFC 9110 13, 14).',
  params: { n: int({ min: 0, max: 10 * MiB }) },
  responses: {
    200: { description: 'All of it.', content: [OCTETS], fields: rangeFields },
    206: {
      description: 'The range, or several as parts: up to 100, in the order asked for.',
      content: [OCTETS, 'multipart/byteranges'],
      fields: { ...rangeFields, 'Content-Range': 'Of a single range.' },
    },
    304: { description: 'If-None-Match or If-Modified-Since holds.', fields: validatorFields },
    412: {
      description: 'If-Match or If-Unmodified-Since fails.',
      content: ['application/problem+json'],
    },
    416: {
      description: 'No range is satisfiable.',
      content: ['application/problem+json'],
      fields: { 'Content-Range': '`bytes */n`' },
    },
  },
  handle: ({ request, params }) => answer(request, params.n),
});
