import type { Reading } from '../../fuzz/http1/reading.ts';
import { readingOf } from '../../fuzz/http1/servers.ts';
import { MARK } from './_fronts.ts';

/** What a connection of a proxy to wirebin has carried, in latin1. */
export interface Carried {
  readonly sent: string;
  readonly answered: string;
}

const MARKS = new RegExp(String.raw`\n${MARK}: ([^\r\n]+)\r\n`, 'gi');

/** The marks in what a proxy has sent, one for each request that it has forwarded. */
function marksIn(text: string): string[] {
  return [...text.matchAll(MARKS)].map(([, mark = '']) => mark);
}

/**
 * Whether wirebin has read other requests than the proxy has forwarded: what carries no mark was smuggled, and a mark in
 * content was a request for the proxy.
 *
 * @param reference another reading of what the proxy has sent, whose contents wirebin's are compared with
 * @returns the disagreements, in words
 */
export function disagreements({ sent, answered }: Carried, reference: Reading): string[] {
  const forwarded = marksIn(sent);
  const found: string[] = [];
  const requests = readingOf(answered);
  for (const [at, request] of requests.entries()) {
    const marks = request?.fields.flatMap(([name, value]) =>
      name.toLowerCase() === MARK.toLowerCase() ? [value] : [],
    );
    if (marks && marks.join() !== forwarded[at]) {
      found.push(`request ${at + 1}: marked ${marks.join()}, forwarded as ${forwarded[at]}`);
    }
    const other = reference[at];
    if (request && other && request.content !== other.content) {
      found.push(`request ${at + 1}: content is not what was forwarded`);
    }
  }
  if (requests.length > forwarded.length) found.push('more requests read than forwarded');
  const isRefused = / [45]\d\d [^\r\n]*\r\n(?:[^\r\n]+\r\n)*Connection: close\r\n/.test(answered);
  if (requests.length < forwarded.length - 1 && !isRefused) found.push('requests not answered');
  return found;
}
