import { endpoint, type Endpoint } from '../server/endpoint.ts';
import type { Request } from '../server/request.ts';
import { described, duration, int, optional } from '../server/params.ts';
import { isWhole, MAX_REQUESTED_CONTENT, type PullSource } from '../server/payload.ts';
import { rangeLength, type ByteRange } from '../http/range.ts';
import { reply, type Reply } from '../server/reply.ts';
import { Schedule, paceBytes } from '../server/pace.ts';
import {
  conditionalOrRangeResponse,
  LAST_MODIFIED,
  representationResponses,
  fullResponseFields,
  type Representation,
} from '../server/representation.ts';

const MiB = 1024 * 1024;
const BYTES = 'application/octet-stream';

const ALPHABET = 'abcdefghijklmnopqrstuvwxyz';
/** Every answer is made of views of this: a MiB of it can be had from any letter on. */
const PATTERN = Buffer.alloc(MiB + ALPHABET.length, ALPHABET);

function letters({ first, last }: ByteRange): PullSource {
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

/** What dialects see differently. */
interface Look {
  readonly type: string;
  /** The entity tag is this and the length. */
  readonly tag: string;
}

function answer(request: Request, length: number, { type, tag }: Look): Reply {
  const representation: Representation = {
    type,
    length,
    validators: { etag: `"${tag}${length}"`, lastModified: LAST_MODIFIED },
    slice: letters,
  };
  const instead = conditionalOrRangeResponse(request, representation);
  if (instead) return instead;
  const fields = fullResponseFields(representation);
  return reply(type, letters({ first: 0, last: length - 1 }), { fields });
}

/**
 * The answer in its own time: each piece takes its part of it first, so that one alone comes when the
 * duration is over.
 *
 * @param seconds that all bytes of the representation would take
 */
function slowed(whole: Reply, length: number, chunkSize: number, seconds: number): Reply {
  const { payload } = whole;
  if (payload === undefined || isWhole(payload) || payload.kind !== 'pulled') return whole;
  const share = Math.min(1, payload.length / length);
  const pieces = new Schedule(Math.ceil(payload.length / chunkSize) + 1, seconds * share);
  const paced = paceBytes(payload, pieces, (due) => (due - 1) * chunkSize);
  return { ...whole, payload: { ...paced, length: payload.length } };
}

/** @param max of the duration, in seconds */
export function range(max: number, look: Look = { type: BYTES, tag: 'range-' }): Endpoint {
  return endpoint({
    id: 'range',
    methods: ['GET'],
    path: '/range/{n}',
    group: 'content',
    summary:
      'n bytes, the alphabet over and over; by range and conditional (RFC 9110 13, 14). With ' +
      '`duration`, which is that of all n, in pieces of `chunk_size`, each after its time.',
    params: { n: described('How many bytes.', int({ min: 0, max: MAX_REQUESTED_CONTENT })) },
    query: {
      duration: described('Over how long all n are spread.', optional(duration(max), 0)),
      chunk_size: described(
        'Bytes of a piece.',
        optional(int({ min: 1, max: MAX_REQUESTED_CONTENT }), 10 * 1024),
      ),
    },
    responses: representationResponses({ description: 'All of it.', content: [look.type] }),
    handle({ request, params: { n }, query: { duration: seconds, chunk_size: chunkSize } }) {
      const whole = answer(request, n, look);
      return seconds === 0 || n === 0 ? whole : slowed(whole, n, chunkSize, seconds);
    },
  });
}
