import { invalidParameter } from '../../http/problem.ts';
import { errorCodes } from '../../wire/http2/names.ts';
import type { Values } from '../../server/parse-parameters.ts';
import { BROKEN_FRAMES, FAULT_POINTS, type Position } from '../../server/fault.ts';
import { described, duration, int, oneOf, optional, required } from '../../server/params.ts';
import { MAX_REQUESTED_CONTENT } from '../../server/payload.ts';
import { seedParameter } from '../bytes.ts';

/** A number of bytes, or a percentage of the content. */
type Amount = { readonly bytes: number } | { readonly percent: number };

const HALF = '50%';
const AMOUNT = /^(\d+)(%?)$/;

const amount = required<Amount>(
  { type: 'string', pattern: AMOUNT.source, examples: [HALF, '0', '100'] },
  (text, name) => {
    const [, digits, percent] = AMOUNT.exec(text) ?? [];
    if (digits === undefined) {
      throw invalidParameter(name, text, 'is neither a number of bytes nor a percentage');
    }
    if (percent === '') return { bytes: Number(digits) };
    if (Number(digits) > 100) throw invalidParameter(name, text, 'exceeds 100%');
    return { percent: Number(digits) };
  },
);

/** @param fallback as in a query */
function afterParameter(description: string, fallback: string) {
  const after = described(description, optional(amount, undefined));
  return { ...after, schema: { ...after.schema, default: fallback } };
}

export const byteCount = int({ min: 0, max: MAX_REQUESTED_CONTENT });
export const DEFAULT_LENGTH = 10 * 1024;

export const lengthParameter = described('Bytes of content.', optional(byteCount, DEFAULT_LENGTH));

export const statusParameter = described(
  'Status code.',
  optional(int({ min: 200, max: 599 }), 200),
);

/** @param max maximum in seconds */
export function delayParameter(max: number) {
  return described('Initial delay.', optional(duration(max), 0));
}

const DEFAULT_SECONDS = 10;

/** @param max maximum in seconds */
export function secondsParameter(
  description: string,
  max: number,
  fallback = Math.min(DEFAULT_SECONDS, max),
) {
  return described(description, optional(duration(max), fallback));
}

/**
 * Parameters of faults that happen at a point of the response.
 *
 * @param max maximum delay in seconds
 */
export function responseParameters(max: number) {
  return {
    length: lengthParameter,
    at: described(
      'Where it fails: before the first byte, in the header section (on HTTP/2 after HEADERS), ' +
        'in the content, or after all of it, without the end of the message.',
      optional(oneOf(FAULT_POINTS), 'body'),
    ),
    after: afterParameter(
      'Bytes of content sent before the fault, or a percentage of `length`; only with `at=body`.',
      HALF,
    ),
    framing: described(
      'Content-Length, or on HTTP/1.1 the chunked coding.',
      optional(oneOf(['length', 'chunked']), 'length'),
    ),
    status: statusParameter,
    delay: delayParameter(max),
  };
}

/**
 * Parameters of garbage, whose own `length` is that of the random bytes.
 *
 * @param max maximum delay in seconds
 */
export function garbageParameters(max: number) {
  const at = described(
    'Where it begins: in place of the response, in the header section (on HTTP/2 after HEADERS), in the content, or ' +
      'after all of it.',
    optional(oneOf(FAULT_POINTS), undefined),
  );
  return {
    length: described('Number of random bytes.', optional(byteCount, DEFAULT_LENGTH)),
    seed: seedParameter,
    at: { ...at, schema: { ...at.schema, default: 'start' } },
    after: afterParameter(
      'Bytes of content sent before it, or a percentage of `content`; implies `at=body`.',
      '0',
    ),
    content: described('Bytes of content of the response.', optional(byteCount, DEFAULT_LENGTH)),
    framing: described(
      'The chunked coding, where garbage is no chunk, or Content-Length. Default: on HTTP/1.1 chunked.',
      optional(oneOf(['length', 'chunked']), undefined),
    ),
    frame: described(
      'On HTTP/2, a known frame that breaks the rules, in place of the response and of random bytes.',
      optional(oneOf(BROKEN_FRAMES), undefined),
    ),
    for: secondsParameter(
      'Time between the last byte and the end of the connection, in which the client can read what was sent.',
      max,
      0,
    ),
    status: statusParameter,
    delay: delayParameter(max),
  };
}

/** Where garbage begins: by default in place of the response, or with `after` in the content. @throws Problem */
export function garbagePosition({ at, after, content }: GarbagePoint): Position {
  const point = at ?? (after === undefined ? 'start' : 'body');
  return positionOf(point, after ?? { bytes: 0 }, content, 'content');
}

/** The values of garbage's parameters that say where it begins. */
type GarbagePoint = Pick<Values<ReturnType<typeof garbageParameters>>, 'at' | 'after' | 'content'>;

/**
 * The point of the response at which it fails.
 *
 * @param length of the content, in bytes
 * @param name of the parameter that has the length
 * @throws Problem if `after` exceeds the length
 */
export function positionOf(
  at: Position['at'],
  after: Amount | undefined,
  length: number,
  name = 'length',
): Position {
  if (after === undefined) return { at, after: Math.floor(length / 2) };
  if ('percent' in after) return { at, after: Math.floor((length * after.percent) / 100) };
  if (after.bytes > length) {
    throw invalidParameter('after', String(after.bytes), `exceeds ${name}=${length}`);
  }
  return { at, after: after.bytes };
}

const MAX_CODE = 2 ** 32 - 1;

const errorCode = required<number>(
  {
    type: 'string',
    pattern: `^(?:${errorCodes.join('|')}|\\d{1,10})$`,
    description: `a name such as CANCEL (RFC 9113 7), or a number up to ${MAX_CODE}.`,
  },
  (text, name) => {
    const known = errorCodes.indexOf(text.toUpperCase());
    const code = known < 0 && /^\d{1,10}$/.test(text) ? Number(text) : known;
    if (code < 0 || code > MAX_CODE) {
      throw invalidParameter(name, text, `is neither a name nor a number up to ${MAX_CODE}`);
    }
    return code;
  },
);

/** Parameter: an HTTP/2 error code by name or number. Unknown numbers are allowed. */
export function codeParameter(fallback: 'NO_ERROR' | 'INTERNAL_ERROR') {
  const code = described('Error code:', optional(errorCode, errorCodes.indexOf(fallback)));
  return { ...code, schema: { ...code.schema, default: fallback } };
}
