import { queryOf } from '../server/endpoint.ts';
import type { Request } from '../server/request.ts';
import { combinedFields } from '../http/fields.ts';
import { MIN_COUNTED_SIZE } from '../server/memory-budget.ts';
import { invalidParameter } from '../http/problem.ts';
import {
  MAX_REQUESTED_CONTENT,
  textPayload,
  type TimedStream,
  type Streamed,
} from '../server/payload.ts';
import { groupByName } from '../http/query.ts';
import { pacePieces } from '../server/pace.ts';
import { clientAddress, urlOf } from './echo.ts';

/** The request in short, as httpbin's streams have it: the echo's members of the same names. */
export function requestLine(request: Request): Record<string, unknown> {
  return {
    url: urlOf(request),
    args: groupByName(queryOf(request)),
    headers: combinedFields(request.fields),
    origin: clientAddress(request),
  };
}

/** The media type of JSON texts with a line feed behind each. */
export const JSON_LINES = 'application/x-ndjson';

/** A request over and over, each time a line of JSON with its number. */
export class RecordLines {
  readonly #before: string | Uint8Array;
  readonly #after: string | Uint8Array;

  /** @param before and after are what stands around the number */
  constructor(before: string, after: string) {
    this.#before = kept(before);
    this.#after = kept(`${after}\n`);
  }

  /**
   * The first so many of them, from 0, spread over a duration.
   *
   * @param name the parameter that asks for so many
   * @throws Problem where they have more than 10 MiB
   */
  payload(name: string, count: number, seconds = 0, jitter = 0): TimedStream | Streamed {
    const { length } = this.#line(count);
    if (length * count > MAX_REQUESTED_CONTENT) {
      const what = `makes more than ${MAX_REQUESTED_CONTENT} bytes of this request`;
      throw invalidParameter(name, String(count), what);
    }
    const pieces = pacePieces(count, seconds, jitter, (at) => this.#line(at));
    // What lines are made of, and one that is on its way.
    return { ...pieces, held: 2 * length };
  }

  #line(id: number): string | Uint8Array {
    const before = this.#before;
    const after = this.#after;
    if (typeof before === 'string' && typeof after === 'string') return `${before}${id}${after}`;
    return Buffer.concat([Buffer.from(before), Buffer.from(String(id)), Buffer.from(after)]);
  }
}

/** Long text is kept outside of the heap. */
function kept(text: string): string | Uint8Array {
  return text.length > MIN_COUNTED_SIZE ? Buffer.from(text) : textPayload(text);
}

/** The lines of a request. */
export function requestLines(request: Request): RecordLines {
  return linesOf(JSON.stringify(requestLine(request)));
}

/** @param object JSON of an object with members: the number comes before them */
export function linesOf(object: string): RecordLines {
  return new RecordLines('{"id":', `,${object.slice(1)}`);
}
