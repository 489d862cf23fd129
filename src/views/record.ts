import { queryOf } from '../http/endpoint.ts';
import type { Request } from '../http/exchange.ts';
import { joinedFields } from '../http/fields.ts';
import { textPayload } from '../http/payload.ts';
import { grouped } from '../http/query.ts';
import { clientAddress, urlOf } from './echo.ts';

/** The request in short, as httpbin's streams have it: the echo's members of the same names. */
export function record(request: Request): Record<string, unknown> {
  return {
    url: urlOf(request),
    args: grouped(queryOf(request)),
    headers: joinedFields(request.fields),
    origin: clientAddress(request),
  };
}

/** The media type of JSON texts with a line feed behind each. */
export const JSON_LINES = 'application/x-ndjson';

/** The line with this id: the record with it, and a line feed. */
export type RecordLine = (id: number) => string | Uint8Array;

/** The lines of a request. */
export function recordLines(request: Request): RecordLine {
  return numberedLines(JSON.stringify(record(request)));
}

/** @param object JSON of an object with members */
export function numberedLines(object: string): RecordLine {
  const rest = textPayload(`${object.slice(1)}\n`);
  if (typeof rest === 'string') return (id) => `{"id":${id},${rest}`;
  return (id) => Buffer.concat([Buffer.from(`{"id":${id},`), rest]);
}
