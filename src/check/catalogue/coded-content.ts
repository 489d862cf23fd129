import { isDeepStrictEqual } from 'node:util';
import { brotliDecompressSync, gunzipSync, inflateSync } from 'node:zlib';
import { withFieldLines } from '../../echo/field-lines.ts';
import { prettyJson } from '../../server/reply.ts';
import { echoSchema } from '../../echo/echo-schema.ts';
import { guard } from '../../server/schema.ts';
import { differs, fail, type Verdict } from '../verdict.ts';
import { responseField, type Transfer } from '../message.ts';
import { parseObject } from '../origin.ts';

const DECODERS = new Map<string, (content: Buffer) => Buffer>([
  ['gzip', gunzipSync],
  ['x-gzip', gunzipSync],
  ['br', brotliDecompressSync],
  ['deflate', inflateSync],
]);

/** The decoders of a list of content codings, the last coding first; undefined if one is unknown. */
function decodersOf(coding: string): readonly ((content: Buffer) => Buffer)[] | undefined {
  const names = coding.toLowerCase().split(',').toReversed();
  const decoders = names.map((name) => DECODERS.get(name.trim()));
  const known = decoders.filter((decode) => decode !== undefined);
  return known.length === names.length ? known : undefined;
}

/** Whether each coding of the list is known. */
export const isKnown = (coding: string): boolean => decodersOf(coding) !== undefined;

/** The decoded content; undefined if the content does not have the coding. */
export function decoded(content: Buffer, coding: string): Buffer | undefined {
  try {
    return decodersOf(coding)?.reduce((inner, decode) => decode(inner), content);
  } catch {
    return undefined;
  }
}

/** The transfer with the content of its response decoded. Content that cannot be decoded stays as it is. */
export function withoutCoding(transfer: Transfer): Transfer {
  const { response } = transfer;
  const coding = responseField(transfer, 'content-encoding');
  if (!response || coding === undefined) return transfer;
  const content = decoded(response.content, coding) ?? response.content;
  return { ...transfer, response: { ...response, content } };
}

/** `expected` of findings about content. */
export const WHOLE = 'the content of the origin';

/**
 * Compares JSON content with that of the origin. Without no-transform, an intermediary may format it in another way
 * (RFC 9110 7.7), but must not lose any of it.
 *
 * @param what begins the text of the verdict
 * @returns undefined if all bytes are the same
 */
export function judgeContent(
  content: Buffer,
  original: Buffer,
  what: string,
  transfer: Transfer,
): Verdict | undefined {
  if (content.equals(original)) return undefined;
  if (original.subarray(0, content.length).equals(content))
    return fail(WHOLE, `${what}${content.length} of ${original.length} bytes`, transfer);
  const [found, sent] = [content, original].map((each) => parseObject(each.toString()));
  return found && isDeepStrictEqual(found, sent)
    ? differs(`${what}transformed: the same JSON in other bytes`, transfer)
    : fail(WHOLE, `${what}other content`, transfer);
}

// The original is made of what arrived: a member that the target has removed is found by the whole schema only.
const isWholeEcho = guard(echoSchema);

/** The echo as the origin formats it; undefined if the content is no echo, or not all of it. */
export function originalEcho(content: Buffer): Buffer | undefined {
  const echo = parseObject(content.toString());
  if (!isWholeEcho(echo)) return undefined;
  const text = prettyJson({ ...echo, raw_headers: [] });
  return Buffer.from(withFieldLines(text, 'raw_headers', echo.raw_headers.flat()));
}
