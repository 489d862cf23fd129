import { readMessageContent } from '../../http/content.ts';
import { queryOf } from '../../server/endpoint.ts';
import type { Request } from '../../server/request.ts';
import { fieldValue, combinedFields, type FieldLines } from '../../http/fields.ts';
import { groupByName } from '../../http/query.ts';
import { RecordLines } from '../../echo/request-lines.ts';
import { forwardedUrl } from '../forwarded.ts';
import { asciiJson } from '../json.ts';

type View = Readonly<Record<string, unknown>>;

/** The view of a request in `/get`. */
export function httpbinGetView(request: Request): View {
  return {
    args: groupByName(queryOf(request)),
    headers: httpbinHeaders(request.fields),
    origin: httpbinOrigin(request),
    url: forwardedUrl(request),
  };
}

/** Lines of `/stream`: the view of `/get`, followed by the `id` of the line. */
export function httpbinLines(request: Request): RecordLines {
  return new RecordLines(`${asciiJson(httpbinGetView(request)).slice(0, -1)},"id":`, '}');
}

/** The view of a request with content in `/post`. */
export function httpbinPostView(request: Request, content: Buffer): View {
  const type = fieldValue(request.fields, 'content-type');
  const { data, form, files, json, body, body_encoding } = readMessageContent(content, type);
  // `data` is empty if the content is a form, whatever its encoding.
  const isBinary = body_encoding === 'base64' && data !== '';
  return {
    ...httpbinGetView(request),
    data: isBinary ? `data:application/octet-stream;base64,${body}` : data,
    files,
    form,
    json,
  };
}

/** The view of a request in `/gzip`, without the member for the coding. */
export function httpbinEncodedView(request: Request): View {
  const { method, fields } = request;
  return { headers: httpbinHeaders(fields), method, origin: httpbinOrigin(request) };
}

/** All fields by name in title case. Lines with the same name are joined. */
export function httpbinHeaders(fields: FieldLines): Record<string, string> {
  const names = Object.entries(combinedFields(withHost(fields)));
  return Object.fromEntries(names.map(([name, value]) => [titleCase(name), value]));
}

/** Adds Host from `:authority` if it is missing. */
function withHost(fields: FieldLines): FieldLines {
  const authority = fieldValue(fields, ':authority');
  if (authority === undefined || fieldValue(fields, 'host') !== undefined) return fields;
  return ['host', authority, ...fields];
}

/** Python's `str.title()`: capitalizes every run of letters. */
function titleCase(name: string): string {
  return name.replace(
    /[a-z]+/gi,
    (run) => run.charAt(0).toUpperCase() + run.slice(1).toLowerCase(),
  );
}

/** The client's address: X-Forwarded-For, or else that of the peer. */
export function httpbinOrigin({ fields, connection }: Request): string {
  return fieldValue(fields, 'x-forwarded-for') ?? connection.remoteAddress;
}
