import { readMessageContent, type MessageContent } from '../../http/content.ts';
import { queryOf } from '../../server/endpoint.ts';
import type { Request } from '../../server/request.ts';
import { fieldValue } from '../../http/fields.ts';
import { parseQuery } from '../../http/query.ts';
import { Problem } from '../../http/problem.ts';
import { linesOf, type RecordLines } from '../../echo/request-lines.ts';
import { forwardedUrl } from '../forwarded.ts';
import { goHeader, goHost, valuesByName } from '../go-fields.ts';
import { goJson } from '../json.ts';

type View = Readonly<Record<string, unknown>>;

/** The view of a request in `/get`. */
export function goHttpbinGetView(request: Request): View {
  return {
    args: valuesByName(queryOf(request)),
    headers: goHttpbinHeaders(request),
    method: request.method,
    origin: goHttpbinOrigin(request),
    url: forwardedUrl(request),
  };
}

/** Lines of streams: the view of `/get` without the method, with the `id` of the line. */
export function goHttpbinLines(request: Request): RecordLines {
  const { args, headers, origin, url } = goHttpbinGetView(request);
  return linesOf(goJson({ args, headers, origin, url }, 0, true));
}

/**
 * The view of a request with content in `/post`.
 *
 * @throws Problem invalid-content if the content cannot be parsed by its media type
 */
export function goHttpbinPostView(request: Request, content: Buffer): View {
  const type = fieldValue(request.fields, 'content-type') ?? '';
  return { ...goHttpbinGetView(request), ...contentView(content, type) };
}

const EMPTY = { data: '', files: {}, form: {}, json: null };

function contentView(content: Buffer, type: string): View {
  if (content.length === 0) return EMPTY;
  const read = readMessageContent(content, type);
  const isText = read.body_encoding === 'utf8';
  const [essence = ''] = type.split(';', 1);
  const url = `data:${essence || 'application/octet-stream'};base64,${content.toString('base64')}`;
  const data = isText ? read.body : url;
  switch (essence) {
    case 'text/html':
    case 'text/plain':
      return { ...EMPTY, data };
    case 'application/x-www-form-urlencoded':
      return { ...EMPTY, data, form: formOf(read) };
    case 'multipart/form-data':
      if (read.data !== '') throw malformed('multipart/form-data');
      return { data, files: arrays(read.files), form: arrays(read.form), json: null };
    case 'application/json':
      if (read.json === null && read.body.trim() !== 'null') throw malformed('JSON');
      return { ...EMPTY, data, json: read.json };
    default:
      return { ...EMPTY, data: url };
  }
}

function formOf({ body, data }: MessageContent): Record<string, string[]> {
  // `data` is empty if the content was parsed as form.
  if (data !== '' || /%(?![0-9A-Fa-f]{2})/.test(body)) throw malformed('a urlencoded form');
  return valuesByName(parseQuery(body));
}

function arrays(groups: Readonly<Record<string, string | string[]>>): Record<string, string[]> {
  const pairs = Object.entries(groups).flatMap(([name, values]) =>
    [values].flat().map((value): [string, string] => [name, value]),
  );
  return valuesByName(pairs);
}

function malformed(expected: string): Problem {
  return new Problem('invalid-content', `error parsing request body: it is not ${expected}`);
}

/** All fields by canonical name, including Host and Transfer-Encoding, which Go stores separately. */
export function goHttpbinHeaders({ target, fields }: Request): Record<string, string[]> {
  const coding = fieldValue(fields, 'transfer-encoding');
  const names = Object.entries(goHeader(fields));
  names.push(['Host', [goHost(target?.authority, fields)]]);
  if (coding !== undefined) names.push(['Transfer-Encoding', [coding]]);
  return Object.fromEntries(names.sort(([one], [other]) => (one < other ? -1 : 1)));
}

/** Fields with the client's address that hosting providers set. They precede X-Forwarded-For. */
const CLIENT_ADDRESS = ['fly-client-ip', 'cf-connecting-ip', 'fastly-client-ip', 'true-client-ip'];

/** The client's address: from fields of a proxy, or else that of the peer. */
export function goHttpbinOrigin({ fields, connection }: Request): string {
  for (const name of CLIENT_ADDRESS) {
    const address = fieldValue(fields, name);
    if (address) return address;
  }
  const [first = ''] = (fieldValue(fields, 'x-forwarded-for') ?? '').split(',', 1);
  return first.trim() || connection.remoteAddress;
}
