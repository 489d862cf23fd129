import { readMessageContent } from '../../http/content.ts';
import { essenceOf } from '../../http/media-type.ts';
import { multipartBoundary } from '../../http/multipart.ts';
import { queryOf } from '../../server/endpoint.ts';
import type { Request } from '../../server/request.ts';
import { fieldValue, combinedFields, type FieldLines } from '../../http/fields.ts';
import { groupByName } from '../../http/query.ts';
import { RecordLines } from '../../echo/request-lines.ts';
import { forwardedUrl } from '../forwarded.ts';
import { withHost } from '../host-field.ts';
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

function isForm(type = ''): boolean {
  switch (essenceOf(type)) {
    case 'application/x-www-form-urlencoded':
      return true;
    case 'multipart/form-data':
      return multipartBoundary(type) !== undefined;
    default:
      return false;
  }
}

/** The view of a request with content in `/post`. */
export function httpbinPostView(request: Request, content: Buffer): View {
  const type = fieldValue(request.fields, 'content-type');
  const { form, files, json, body, body_encoding } = readMessageContent(content, type);
  const data = body_encoding === 'utf8' ? body : `data:application/octet-stream;base64,${body}`;
  // As for Werkzeug, which has read a form by then even if it is none, such as one with a content coding.
  const shown = isForm(type) ? { data: '', json: null } : { data, json };
  return { ...httpbinGetView(request), ...shown, files, form };
}

/** The view of a request in `/gzip`, without the member for the coding. */
export function httpbinEncodedView(request: Request): View {
  const { method, fields } = request;
  return { headers: httpbinHeaders(fields), method, origin: httpbinOrigin(request) };
}

/** All fields by name in title case. Lines with the same name are joined by a comma without a space. */
export function httpbinHeaders(fields: FieldLines): Record<string, string> {
  const names = Object.entries(combinedFields(withHost(fields), ','));
  return Object.fromEntries(names.map(([name, value]) => [titleCase(name), value]));
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
