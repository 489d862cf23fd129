import { readMessageContent } from '../../http/content.ts';
import { combinedFields, fieldValue, type FieldLines } from '../../http/fields.ts';
import { essenceOf } from '../../http/media-type.ts';
import { multipartBoundary, parseMultipart } from '../../http/multipart.ts';
import { groupByName } from '../../http/query.ts';
import { queryOf } from '../../server/endpoint.ts';
import { prettyJson, reply, type Reply, type ReplyOptions } from '../../server/reply.ts';
import type { Request } from '../../server/request.ts';
import { forwardedUrl } from '../forwarded.ts';
import { withHost } from '../host-field.ts';

type View = Readonly<Record<string, unknown>>;

export const JSON_TYPE = 'application/json; charset=utf-8';

export function postmanReply(value: unknown, options?: ReplyOptions): Reply {
  return reply(JSON_TYPE, prettyJson(value), options);
}

/** All fields by lower-case name. */
export function postmanHeaders(fields: FieldLines): Record<string, string> {
  return combinedFields(withHost(fields));
}

/** The view of a request in `/get`. */
export function postmanGetView(request: Request): View {
  return {
    args: groupByName(queryOf(request)),
    headers: postmanHeaders(request.fields),
    url: forwardedUrl(request),
  };
}

/** The view of a request with content in `/post`. `data` of JSON is the value, as in `json`. */
export function postmanPostView(request: Request, content: Buffer): View {
  const type = fieldValue(request.fields, 'content-type') ?? '';
  const { data, form, json } = readMessageContent(content, type);
  const value = essenceOf(type) === 'application/json' ? json : null;
  const { args, headers, url } = postmanGetView(request);
  return {
    args,
    data: value ?? data,
    files: filesOf(content, type),
    form,
    headers,
    json: value,
    url,
  };
}

/** The files of a form by file name, each as a `data:` URL. */
function filesOf(content: Buffer, type: string): View {
  const boundary = essenceOf(type) === 'multipart/form-data' ? multipartBoundary(type) : undefined;
  const parts = boundary === undefined ? undefined : parseMultipart(content, boundary);
  const files = (parts ?? []).flatMap(({ filename, content: bytes }): [string, string][] =>
    filename === undefined
      ? []
      : [[filename, `data:application/octet-stream;base64,${bytes.toString('base64')}`]],
  );
  return groupByName(files);
}
