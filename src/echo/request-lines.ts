import { queryOf } from '../server/endpoint.ts';
import type { Request } from '../server/request.ts';
import { combinedFields } from '../http/fields.ts';
import { MIN_COUNTED_SIZE } from '../server/request-cost.ts';
import { invalidParameter } from '../http/problem.ts';
import {
  MAX_REQUESTED_CONTENT,
  streamPieces,
  textPayload,
  type TimedStream,
  type Streamed,
} from '../server/payload.ts';
import { groupByName } from '../http/query.ts';
import { pacePieces } from '../server/pace.ts';
import { clientAddress } from '../server/forwarding.ts';
import { urlOf } from './request-url.ts';

/** A short echo for streams, like in httpbin, with the members of the full echo. */
export function requestLine(request: Request): Record<string, unknown> {
  return {
    url: urlOf(request),
    args: groupByName(queryOf(request)),
    headers: combinedFields(request.fields),
    origin: clientAddress(request),
  };
}

/** Media type of newline-delimited JSON. */
export const JSON_LINES = 'application/x-ndjson';

/** A record that is repeated as lines of JSON, numbered from 0. */
export class RecordLines {
  readonly #before: string | Uint8Array;
  readonly #after: string | Uint8Array;

  /** @param before text before the line number @param after text after it */
  constructor(before: string, after: string) {
    this.#before = stored(before);
    this.#after = stored(`${after}\n`);
  }

  /**
   * A payload of the first `count` lines, spread over a duration.
   *
   * @param name parameter with the count, for the error message
   * @throws Problem if the lines are larger than 10 MiB
   */
  payload(name: string, count: number, seconds = 0, jitter = 0): TimedStream | Streamed {
    const { length } = this.#line(count);
    requireSize(name, count, length);
    const pieces = pacePieces(count, seconds, jitter, (at) => this.#line(at));
    // Memory: the template, and a line that is being sent.
    return { ...pieces, held: 2 * length };
  }

  #line(id: number): string | Uint8Array {
    const before = this.#before;
    const after = this.#after;
    if (typeof before === 'string' && typeof after === 'string') return `${before}${id}${after}`;
    return Buffer.concat([Buffer.from(before), Buffer.from(String(id)), Buffer.from(after)]);
  }
}

/** A payload of the same text, `count` times. @param name parameter with the count @throws Problem as above */
export function repeatedText(text: string, name: string, count: number): Streamed {
  const piece = stored(text);
  requireSize(name, count, piece.length);
  return { ...streamPieces(count, () => piece), held: piece.length };
}

function requireSize(name: string, count: number, length: number): void {
  if (length * count <= MAX_REQUESTED_CONTENT) return;
  const what = `makes more than ${MAX_REQUESTED_CONTENT} bytes of this request`;
  throw invalidParameter(name, String(count), what);
}

/** Long text as Buffer, outside of the V8 heap. */
function stored(text: string): string | Uint8Array {
  return text.length > MIN_COUNTED_SIZE ? Buffer.from(text) : textPayload(text);
}

export function requestLines(request: Request): RecordLines {
  return linesOf(JSON.stringify(requestLine(request)));
}

/** @param object a serialized non-empty object, of which the line number becomes the first member */
export function linesOf(object: string): RecordLines {
  return new RecordLines('{"id":', `,${object.slice(1)}`);
}
