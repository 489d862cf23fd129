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

/** What go-httpbin shows of any request: `/get`. */
export function goHttpbinHead(request: Request): View {
  return {
    args: valuesByName(queryOf(request)),
    headers: goHttpbinHeaders(request),
    method: request.method,
    origin: goHttpbinOrigin(request),
    url: forwardedUrl(request),
  };
}

/** The lines of its streams: the same without the method, each with its number. */
export function goHttpbinLines(request: Request): RecordLines {
  const { args, headers, origin, url } = goHttpbinHead(request);
  return linesOf(goJson({ args, headers, origin, url }, 0, true));
}

/**
 * The same with the content, which is read as its type says: `/post`.
 *
 * @throws Problem invalid-content where it is not what its type says
 */
export function goHttpbinEcho(request: Request, content: Buffer): View {
  const type = fieldValue(request.fields, 'content-type') ?? '';
  return { ...goHttpbinHead(request), ...contentView(content, type) };
}

const NOTHING = { data: '', files: {}, form: {}, json: null };

function contentView(content: Buffer, type: string): View {
  if (content.length === 0) return NOTHING;
  const read = readMessageContent(content, type);
  const isText = read.body_encoding === 'utf8';
  const [essence = ''] = type.split(';', 1);
  const url = `data:${essence || 'application/octet-stream'};base64,${content.toString('base64')}`;
  const data = isText ? read.body : url;
  switch (essence) {
    case 'text/html':
    case 'text/plain':
      return { ...NOTHING, data };
    case 'application/x-www-form-urlencoded':
      return { ...NOTHING, data, form: formOf(read) };
    case 'multipart/form-data':
      if (read.data !== '') throw malformed('no multipart/form-data');
      return { data, files: arrays(read.files), form: arrays(read.form), json: null };
    case 'application/json':
      if (read.json === null && read.body.trim() !== 'null') throw malformed('no JSON');
      return { ...NOTHING, data, json: read.json };
    default:
      return { ...NOTHING, data: url };
  }
}

function formOf({ body, data }: MessageContent): Record<string, string[]> {
  // Content that is a form is not among the data.
  if (data !== '' || /%(?![0-9A-Fa-f]{2})/.test(body)) throw malformed('no urlencoded form');
  return valuesByName(parseQuery(body));
}

function arrays(groups: Readonly<Record<string, string | string[]>>): Record<string, string[]> {
  const pairs = Object.entries(groups).flatMap(([name, values]) =>
    [values].flat().map((value): [string, string] => [name, value]),
  );
  return valuesByName(pairs);
}

function malformed(what: string): Problem {
  return new Problem('invalid-content', `error parsing request body: it is ${what}`);
}

/** Every field line by canonical name, none hidden, with the two that Go keeps aside. */
export function goHttpbinHeaders({ target, fields }: Request): Record<string, string[]> {
  const coding = fieldValue(fields, 'transfer-encoding');
  const names = Object.entries(goHeader(fields));
  names.push(['Host', [goHost(target?.authority, fields)]]);
  if (coding !== undefined) names.push(['Transfer-Encoding', [coding]]);
  return Object.fromEntries(names.sort(([one], [other]) => (one < other ? -1 : 1)));
}

/** Fields in which hosts of services tell the client's address, before X-Forwarded-For. */
const CLIENT_ADDRESS = ['fly-client-ip', 'cf-connecting-ip', 'fastly-client-ip', 'true-client-ip'];

/** Who asks, if a proxy's fields are to be believed. */
export function goHttpbinOrigin({ fields, connection }: Request): string {
  for (const name of CLIENT_ADDRESS) {
    const address = fieldValue(fields, name);
    if (address) return address;
  }
  const [first = ''] = (fieldValue(fields, 'x-forwarded-for') ?? '').split(',', 1);
  return first.trim() || connection.remoteAddress;
}
