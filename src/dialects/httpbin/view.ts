import { readMessageContent } from '../../http/content.ts';
import { queryOf } from '../../server/endpoint.ts';
import type { Request } from '../../server/request.ts';
import { fieldValue, combinedFields, type FieldLines } from '../../http/fields.ts';
import { groupByName } from '../../http/query.ts';
import { RecordLines } from '../../echo/request-lines.ts';
import { forwardedUrl } from '../forwarded.ts';
import { asciiJson } from '../json.ts';

type View = Readonly<Record<string, unknown>>;

/** What httpbin shows of any request: `/get`. */
export function httpbinHead(request: Request): View {
  return {
    args: groupByName(queryOf(request)),
    headers: httpbinHeaders(request.fields),
    origin: httpbinOrigin(request),
    url: forwardedUrl(request),
  };
}

/** The lines of `/stream`: the same, each with its number behind it. */
export function httpbinLines(request: Request): RecordLines {
  return new RecordLines(`${asciiJson(httpbinHead(request)).slice(0, -1)},"id":`, '}');
}

/** The same with the content: `/post`. */
export function httpbinEcho(request: Request, content: Buffer): View {
  const type = fieldValue(request.fields, 'content-type');
  const { data, form, files, json, body, body_encoding } = readMessageContent(content, type);
  // A form has no data, whatever its encoding.
  const isBinary = body_encoding === 'base64' && data !== '';
  return {
    ...httpbinHead(request),
    data: isBinary ? `data:application/octet-stream;base64,${body}` : data,
    files,
    form,
    json,
  };
}

/** What it shows beside a content coding: `/gzip`. */
export function httpbinShort(request: Request): View {
  const { method, fields } = request;
  return { headers: httpbinHeaders(fields), method, origin: httpbinOrigin(request) };
}

/** Every field by its name in title case, lines joined; none is hidden. */
export function httpbinHeaders(fields: FieldLines): Record<string, string> {
  const names = Object.entries(combinedFields(withHost(fields)));
  return Object.fromEntries(names.map(([name, value]) => [titleCase(name), value]));
}

/** HTTP/2 has `:authority` for it. */
function withHost(fields: FieldLines): FieldLines {
  const authority = fieldValue(fields, ':authority');
  if (authority === undefined || fieldValue(fields, 'host') !== undefined) return fields;
  return ['host', authority, ...fields];
}

/** As Python has it: every run of letters begins in upper case. */
function titleCase(name: string): string {
  return name.replace(
    /[a-z]+/gi,
    (run) => run.charAt(0).toUpperCase() + run.slice(1).toLowerCase(),
  );
}

/** Who asks, if a proxy's field is to be believed. */
export function httpbinOrigin({ fields, connection }: Request): string {
  return fieldValue(fields, 'x-forwarded-for') ?? connection.remoteAddress;
}
