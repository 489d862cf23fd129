import { createHash } from 'node:crypto';
import { byteranges, BYTERANGES } from './byteranges.ts';
import {
  evaluatePreconditions,
  ifRangeHolds,
  preconditionFailed,
  varyLines,
  type Validators,
} from '../http/conditional.ts';
import { problemResponse, type Input, type ResponseDoc } from './endpoint.ts';
import type { Request } from './request.ts';
import { fieldValue, type FieldLines } from '../http/fields.ts';
import { MAX_REQUESTED_CONTENT, pullBytes, type PullSource, type Repeatable } from './payload.ts';
import { contentRange, selectRanges, type ByteRange } from '../http/range.ts';
import { empty, reply, type Reply } from './reply.ts';
import { Problem } from '../http/problem.ts';

/** The representation of a resource, which GET returns whole or in ranges (RFC 9110 3.2, 14). */
export interface Representation {
  /** Media type. */
  readonly type: string;
  /** Length in bytes. */
  readonly length: number;
  readonly validators: Validators;
  /** Content coding of the bytes; undefined for none. */
  readonly coding?: string | undefined;
  /** Further fields of every response, including 304, so no other metadata (RFC 9110 15.4.5). */
  readonly fields?: readonly string[];
  /** Returns the bytes of a range, which is within the length. */
  readonly slice: (range: ByteRange) => Repeatable;
}

/** Last-Modified of static content, long enough ago to be a strong validator. */
export const LAST_MODIFIED = 'Mon, 01 Jan 2024 00:00:00 GMT';

/**
 * The response to a request for a representation, which may be conditional or ask for ranges.
 *
 * @throws Problem precondition-failed, range-not-satisfiable
 */
export function representationReply(request: Request, representation: Representation): Reply {
  const response = conditionalOrRangeResponse(request, representation);
  if (response) return response;
  const { type, length, slice } = representation;
  const fields = fullResponseFields(representation);
  return reply(type, slice({ first: 0, last: length - 1 }), { fields });
}

/**
 * The response to a conditional or range request: 304, or 206 with the ranges. Fields that do not apply or cannot be
 * parsed are ignored.
 *
 * @returns undefined if the whole representation is to be sent, with `fullResponseFields`
 * @throws Problem precondition-failed, range-not-satisfiable
 */
export function conditionalOrRangeResponse(
  request: Request,
  representation: Representation,
): Reply | undefined {
  if (!isConditionalOrRanged(request.fields)) return undefined;
  const { validators, type, length, fields: extra = [] } = representation;
  switch (evaluatePreconditions(request.method, request.fields, validators)) {
    case 'not-modified':
      return empty(304, [...validatorLines(validators), ...extra]);
    case 'failed':
      throw preconditionFailed(validators.etag, extra);
    case 'perform':
  }
  const ranges = requestedRanges(request, representation);
  if (!ranges) return undefined;
  const [range] = ranges;
  if (!range) {
    throw new Problem('range-not-satisfiable', `the representation has ${length} bytes`, [
      'Content-Range',
      contentRange(undefined, length),
      ...varyLines(extra),
    ]);
  }
  const fields = fullResponseFields(representation);
  const whole = (): PullSource => representation.slice({ first: 0, last: length - 1 });
  if (ranges.length > 1) {
    const payload = byteranges(ranges, { type, length }, representation.slice);
    return { ...reply(BYTERANGES, payload, { status: 206, fields }), representation: whole };
  }
  fields.push('Content-Range', contentRange(range, length));
  const part = reply(type, representation.slice(range), { status: 206, fields });
  return { ...part, representation: whole };
}

/** The fields of a response with the whole representation, except Content-Type. */
export function fullResponseFields({ validators, coding, fields = [] }: Representation): string[] {
  const codingLine = coding === undefined ? [] : ['Content-Encoding', coding];
  return [...validatorLines(validators), 'Accept-Ranges', 'bytes', ...codingLine, ...fields];
}

/**
 * A static document; its entity tag is a hash of its bytes.
 *
 * @param fields further fields of every response
 * @returns a handler that supports conditional and range requests
 */
export function staticDocument(
  type: string,
  content: string | Buffer,
  fields: readonly string[] = [],
): (request: Request) => Reply {
  const bytes = Buffer.from(content);
  const digest = createHash('sha256').update(bytes).digest('base64url');
  const representation: Representation = {
    type,
    length: bytes.length,
    validators: { etag: `"${digest.slice(0, 22)}"`, lastModified: LAST_MODIFIED },
    fields,
    slice: ({ first, last }) => pullBytes(bytes.subarray(first, last + 1)),
  };
  const whole = reply(type, content, { fields: fullResponseFields(representation) });
  return (request) => conditionalOrRangeResponse(request, representation) ?? whole;
}

const validatorDocs = { ETag: 'Strong.', 'Last-Modified': 'Fixed.' };

/**
 * The documented responses of an endpoint that serves a representation.
 *
 * @param validators the fields of its validators, if it has other ones
 */
export function representationResponses(
  whole: ResponseDoc,
  validators: Readonly<Record<string, string>> = validatorDocs,
): Readonly<Record<number, ResponseDoc>> {
  const { content = [], fields = {} } = whole;
  const ofUnchanged = Object.entries(fields).filter(([name]) => name !== 'Content-Encoding');
  const varyDocs = Object.fromEntries(Object.entries(fields).filter(([name]) => name === 'Vary'));
  const wholeDocs = { ...validators, 'Accept-Ranges': '`bytes`' };
  return {
    200: { ...whole, fields: { ...wholeDocs, ...fields } },
    206: {
      description: 'The range, or up to 100 as parts in the order requested.',
      content: [...content, 'multipart/byteranges'],
      fields: { ...wholeDocs, ...fields, 'Content-Range': 'For a single range.' },
    },
    304: {
      description: 'If-None-Match or If-Modified-Since holds.',
      fields: { ...validators, ...Object.fromEntries(ofUnchanged) },
    },
    412: problemResponse('If-Match or If-Unmodified-Since fails.', varyDocs),
    416: problemResponse('No range is satisfiable.', {
      'Content-Range': '`bytes */n`, where n is the total number of bytes.',
      ...varyDocs,
    }),
  };
}

/**
 * Common declaration of endpoints that serve a static document.
 *
 * @param doc differences in the documentation of the full response
 */
export function documentDeclaration(type: string, content: string, doc: Partial<ResponseDoc> = {}) {
  const respond = staticDocument(type, content);
  return {
    group: 'content',
    responses: representationResponses({ description: 'The document.', content: [type], ...doc }),
    handle: ({ request }: Input<unknown, unknown>) => respond(request),
  } as const;
}

/** Whether the request has a field of RFC 9110 13.1 or 14.2. Few requests do. */
function isConditionalOrRanged(fields: FieldLines): boolean {
  for (let at = 0; at < fields.length; at += 2) {
    if (/^(?:if-|range$)/i.test(fields[at] ?? '')) return true;
  }
  return false;
}

/** The ranges to send; undefined for the whole representation. */
function requestedRanges(
  { method, fields }: Request,
  { validators, length }: Representation,
): readonly ByteRange[] | undefined {
  // Range is defined for GET (RFC 9110 14.2) and QUERY (RFC 10008 2.8).
  const isDefined = method === 'GET' || method === 'QUERY';
  const field = isDefined ? fieldValue(fields, 'range') : undefined;
  if (field === undefined || !ifRangeHolds(fields, validators)) return undefined;
  return selectRanges(field, length, MAX_REQUESTED_CONTENT);
}

function validatorLines({ etag, lastModified }: Validators): string[] {
  return ['ETag', etag, ...(lastModified === undefined ? [] : ['Last-Modified', lastModified])];
}
