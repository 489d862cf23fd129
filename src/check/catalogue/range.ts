import { topic } from '../check.ts';
import { differs, expectSame, fail, notApplicable, pass, type Verdict } from '../verdict.ts';
import {
  outcomeOf,
  responseField,
  valueOf,
  type ResponseMessage,
  type Transfer,
} from '../message.ts';
import { counted } from '../words.ts';
import { responds } from './response.ts';

const RANGE = { section: 'RFC 9110 14', level: 'must', risk: 'data-loss' } as const;

const LENGTH = 1000;
const TARGET = `/range/${LENGTH}`;

/** Content of `/range/{length}`. */
export const rangeContent = (length: number): Buffer =>
  Buffer.alloc(length, 'abcdefghijklmnopqrstuvwxyz');

/** A range of bytes, both inclusive. */
type Range = readonly [first: number, last: number];

const bytesOf = ([first, last]: Range): Buffer => rangeContent(LENGTH).subarray(first, last + 1);

/** The ranges of one request. */
const RANGES: readonly Range[] = [
  [0, 9],
  [100, 109],
];

const FIRST_BYTES = ['Range', 'bytes=0-9'] as const;

/** The number of bytes, marked `other` if only their values are wrong. */
const inWords = (content: Buffer, expected: Buffer): string =>
  `${content.length === expected.length && !content.equals(expected) ? 'other ' : ''}${counted(content.length, 'byte')}`;

/** A part of multipart/byteranges. */
interface Part {
  /** Value of Content-Range. */
  readonly name: string;
  readonly bytes: Buffer;
}

/** Parses multipart/byteranges (RFC 9110 14.6). @returns undefined if it is malformed or incomplete */
function byteRangeParts({ fields, content }: ResponseMessage): readonly Part[] | undefined {
  const type = valueOf(fields, 'content-type') ?? '';
  const [, quoted, token] = /;[ \t]*boundary=(?:"([^"]+)"|([^\s;"]+))/i.exec(type) ?? [];
  const boundary = quoted ?? token;
  if (boundary === undefined) return undefined;
  // The line end before a delimiter belongs to the delimiter (RFC 2046 5.1.1). Text before the first one is no part.
  const [, ...pieces] = `\r\n${content.toString('latin1')}`.split(`\r\n--${boundary}`);
  if (pieces.pop()?.startsWith('--') !== true) return undefined;
  return pieces.map((piece) => {
    const end = piece.indexOf('\r\n\r\n');
    const [, name = 'no Content-Range'] =
      /^Content-Range:[ \t]*(.*)/im.exec(piece.slice(0, end)) ?? [];
    return { name, bytes: Buffer.from(piece.slice(end + 4), 'latin1') };
  });
}

/** The range in the Content-Range of a part; undefined if it is invalid or of another length. */
function contentRangeOf({ name }: Part): Range | undefined {
  const [, first, last] = new RegExp(`^bytes (\\d+)-(\\d+)/${LENGTH}$`).exec(name) ?? [];
  return first === undefined || last === undefined ? undefined : [Number(first), Number(last)];
}

function judgeRange(transfer: Transfer): Verdict {
  const range: Range = [100, 199];
  const { status, content = Buffer.alloc(0), fields = [] } = transfer.response ?? {};
  if (status === 200 && content.equals(rangeContent(LENGTH)))
    return differs('200 with all of the content', transfer);
  const expected = bytesOf(range);
  return expectSame(
    `206 bytes 100-199/${LENGTH}, ${inWords(expected, expected)}`,
    `${status} ${valueOf(fields, 'content-range') ?? ''}, ${inWords(content, expected)}`,
    transfer,
  );
}

/** Judges a response to `RANGES`. Parts may be in another order, and may be merged (RFC 9110 15.3.7.2). */
function judgeRanges(transfer: Transfer): Verdict {
  const { response } = transfer;
  const type = responseField(transfer, 'content-type') ?? '';
  if (!response || !/^multipart\/byteranges/i.test(type))
    return differs(`${response?.status} ${type}`, transfer);
  const parts = byteRangeParts(response);
  if (!parts)
    return fail('parts between boundaries, of which the last ends with --', type, transfer);
  const ranges: Range[] = [];
  for (const part of parts) {
    const range = contentRangeOf(part);
    const expected = range ? bytesOf(range) : Buffer.alloc(0);
    if (!range || !part.bytes.equals(expected))
      return fail(
        'each part has the bytes that its Content-Range says',
        `${part.name}: ${inWords(part.bytes, expected)}`,
        transfer,
      );
    ranges.push(range);
  }
  const missing = RANGES.find(
    ([from, to]) => !ranges.some(([first, last]) => first <= from && last >= to),
  );
  return missing ? fail('all ranges', `no bytes ${missing.join('-')}`, transfer) : pass();
}

/** Range requests (RFC 9110 14). */
export const rangeChecks = topic(RANGE, [
  responds({
    id: 'response/range',
    rule: 'A range request is forwarded, or answered correctly by the intermediary.',
    risk: 'interop',
    message: { target: TARGET, fields: [['Range', 'bytes=100-199']] },
    judge: judgeRange,
  }),
  responds({
    id: 'response/ranges',
    section: 'RFC 9110 14.6',
    rule: 'A response with several ranges (multipart/byteranges) is forwarded.',
    level: 'quality',
    risk: 'interop',
    message: {
      target: TARGET,
      fields: [['Range', `bytes=${RANGES.map((range) => range.join('-')).join()}`]],
    },
    judge: judgeRanges,
  }),
  responds({
    id: 'response/if-range',
    section: 'RFC 9110 13.1.5',
    rule: 'If-Range with a different ETag returns the whole representation.',
    message: { target: TARGET, fields: [FIRST_BYTES, ['If-Range', '"other"']] },
    judge: async (transfer, session) => {
      const { status, content = Buffer.alloc(0) } = transfer.response ?? {};
      const expected = rangeContent(LENGTH);
      const verdict = expectSame(
        `200, ${inWords(expected, expected)}`,
        `${status}, ${inWords(content, expected)}`,
        transfer,
      );
      if (verdict.outcome !== 'pass') return verdict;
      // Without Range the response would be the same.
      const part = await session.send({ target: TARGET, fields: [FIRST_BYTES] });
      return part.response?.status === 206
        ? verdict
        : notApplicable(`${outcomeOf(part)} to Range without If-Range`);
    },
  }),
]);
