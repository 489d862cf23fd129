import { endpoint, type Endpoint } from '../server/endpoint.ts';
import type { Request } from '../server/request.ts';
import { described, duration, int, optional } from '../server/params.ts';
import {
  isWhole,
  MAX_REQUESTED_CONTENT,
  pullSource,
  repeatable,
  type PullSource,
  type Repeatable,
} from '../server/payload.ts';
import { rangeLength, type ByteRange } from '../http/range.ts';
import { BYTES_TYPE, type Reply } from '../server/reply.ts';
import { Schedule, paceBytes } from '../server/pace.ts';
import {
  LAST_MODIFIED,
  representationReply,
  representationResponses,
} from '../server/representation.ts';

const MiB = 1024 * 1024;
/** The largest number of seconds that every cache understands (RFC 9111 1.2.2). */
const MAX_AGE = 2 ** 31 - 1;

const ALPHABET = 'abcdefghijklmnopqrstuvwxyz';
/** All responses are slices of this buffer: 1 MiB from each letter on. Made for the first of them. */
let pattern: Buffer | undefined;

/** A range of the repeated alphabet. */
export function letters(part: ByteRange): Repeatable {
  return repeatable(() => lettersFrom(part));
}

function lettersFrom({ first, last }: ByteRange): PullSource {
  let position = first;
  const next = (size: number): Uint8Array => {
    const start = position % ALPHABET.length;
    pattern ??= Buffer.alloc(MiB + ALPHABET.length, ALPHABET);
    const chunk = pattern.subarray(start, start + size);
    position += chunk.length;
    return chunk;
  };
  return pullSource(rangeLength({ first, last }), next, true);
}

/** Options in which dialects differ. */
interface RangeOptions {
  readonly type: string;
  /** Beginning of the entity tag, before the length. */
  readonly etagPrefix: string;
}

function rangeReply(
  request: Request,
  length: number,
  maxAge: number | undefined,
  { type, etagPrefix }: RangeOptions,
): Reply {
  const validators = { etag: `"${etagPrefix}${length}"`, lastModified: LAST_MODIFIED };
  const fields = maxAge === undefined ? [] : ['Cache-Control', `max-age=${maxAge}`];
  return representationReply(request, { type, length, validators, fields, slice: letters });
}

/**
 * Spreads a response over the duration, in chunks that are each sent at the end of their share of time.
 *
 * @param length of the representation, in bytes
 * @param seconds for the whole representation; a part takes its share
 */
function paced(response: Reply, length: number, chunkSize: number, seconds: number): Reply {
  const { payload } = response;
  if (payload === undefined || isWhole(payload) || payload.kind !== 'pulled') return response;
  const share = Math.min(1, payload.length / length);
  const schedule = new Schedule(Math.ceil(payload.length / chunkSize) + 1, seconds * share);
  const chunks = paceBytes(payload, schedule, (due) => (due - 1) * chunkSize);
  return { ...response, payload: { ...chunks, length: payload.length } };
}

/** @param max maximum of the duration, in seconds */
export function range(
  max: number,
  options: RangeOptions = { type: BYTES_TYPE, etagPrefix: 'range-' },
): Endpoint {
  return endpoint({
    path: '/range/{n}',
    group: 'content',
    summary:
      'n bytes of the repeated alphabet, with support for Range and conditional requests ' +
      '(RFC 9110 13, 14). With `duration` they are sent in evenly spread chunks of `chunk_size`.',
    params: { n: described('Number of bytes.', int({ min: 0, max: MAX_REQUESTED_CONTENT })) },
    query: {
      duration: described(
        'Time that all n bytes take; a part takes its share.',
        optional(duration(max), 0),
      ),
      chunk_size: described(
        'Bytes per chunk.',
        optional(int({ min: 1, max: MAX_REQUESTED_CONTENT }), 10 * 1024),
      ),
      max_age: described(
        'Seconds of Cache-Control: max-age.',
        optional(int({ min: 0, max: MAX_AGE }), undefined),
      ),
    },
    responses: representationResponses({ description: 'All n bytes.', content: [options.type] }),
    handle({
      request,
      params: { n },
      query: { duration: seconds, chunk_size: chunkSize, max_age: maxAge },
    }) {
      const response = rangeReply(request, n, maxAge, options);
      return seconds === 0 || n === 0 ? response : paced(response, n, chunkSize, seconds);
    },
  });
}
