import { readMessageContent } from '../http/content.ts';
import { queryOf } from '../server/endpoint.ts';
import type { Request } from '../server/request.ts';
import { fieldValue } from '../http/fields.ts';
import { clientAddress } from '../server/forwarding.ts';
import { groupByName } from '../http/query.ts';
import type { RequestView } from '../inspect/request-view.ts';
import { connectionText } from './connection-text.ts';
import { checkDigests, type CheckedDigests } from './digest-check.ts';
import type { Echo } from './echo-schema.ts';
import { sectionText } from './field-lines.ts';
import { jsonMember, jsonMembers, jsonMilliseconds, jsonText } from './json-text.ts';
import { urlOf } from './request-url.ts';
import { traceView } from './trace.ts';

/** What `?explain` adds to the echo. */
export interface Explanation {
  /** The members `explained` and `field_names`. */
  readonly text: string;
  /** The digests that it explains, so that they are not computed twice. */
  readonly digests: CheckedDigests | undefined;
}

/**
 * The echo as JSON text: the request as received, and its connection. It is written as `prettyJson()` would, but with one
 * field line per line, and without an object, which would take several times as long; see bench/NOTES.md.
 *
 * @param read the members from `body` to `json`
 * @param explanation if the request asks for it
 */
export function echoText(
  request: Request,
  content: Buffer,
  read?: string,
  explanation?: Explanation,
): string {
  const { connection, stream } = request;
  const text = connectionText(request);
  const streamText = stream
    ? `\n    "stream": ${stream.id},\n    "open_streams": ${stream.open},`
    : '';
  const now = performance.now();
  return `${requestText(request, content, read, explanation)}
  "timing": {
    "duration_ms": ${jsonMilliseconds(now - request.receivedAt)}
  },
${text.start},
    "request": ${request.requestNumber},${streamText}
    "age_ms": ${jsonMilliseconds(now - connection.openedAt)},
${text.end}${lastText(request, explanation?.text)}
}
`;
}

/** Text from `method` to `trace`, of header sections that clients repeat and that no content follows. */
const repeated = new WeakMap<object, string>();

/** The members from `method` to `trace`. */
function requestText(
  request: Request,
  content: Buffer,
  read: string | undefined,
  explanation: Explanation | undefined,
): string {
  const { repeatedSection } = request;
  const known = repeatedSection && repeated.get(repeatedSection);
  if (known !== undefined) return known;
  const digests = explanation ? explanation.digests : checkDigests(request, content);
  const text = madeText(request, read ?? contentText(request, content), digests);
  if (!repeatedSection) return text;
  // As one piece: V8 would join the parts of this string again for each response.
  const joined = Buffer.from(text).toString();
  repeated.set(repeatedSection, joined);
  return joined;
}

function madeText(request: Request, read: string, digests: CheckedDigests | undefined): string {
  const { method, version, target, fields } = request;
  const args = queryOf(request);
  const headers = sectionText(fields);
  return `{
  "method": "${jsonText(method)}",
  "http_version": "${jsonText(version)}",
  "url": "${jsonText(urlOf(request))}",
  "path": "${jsonText(target?.path ?? '')}",
  "query": "${jsonText(target?.query ?? '')}",
  "args": ${args.length === 0 ? '{}' : jsonMember(groupByName(args))},
  "headers": ${headers.combined},
  "raw_headers": ${headers.raw},
  "origin": "${jsonText(clientAddress(request))}",
${read},${optionalText(request, digests)}`;
}

const NO_CONTENT = Buffer.alloc(0);
const noContentText = jsonMembers(readMessageContent(NO_CONTENT));

/** The members from `body` to `json`. */
function contentText({ fields }: Request, content: Buffer): string {
  if (content.length === 0) return noContentText;
  return jsonMembers(readMessageContent(content, fieldValue(fields, 'content-type')));
}

/** The members from `trailers` to `trace`, which most requests do not have. */
function optionalText(request: Request, digests: CheckedDigests | undefined): string {
  const { trailers } = request;
  const trace = traceView(request);
  let text = '';
  if (trailers.length > 0) {
    const { combined, raw } = sectionText(trailers);
    text = `\n  "trailers": ${combined},\n  "raw_trailers": ${raw},`;
  }
  if (digests) text += `\n${members({ digest: digests })},`;
  if (trace) text += `\n${members({ trace })},`;
  return text;
}

/** The members after `http2`. */
function lastText(request: Request, explained: string | undefined): string {
  const wire = wireView(request);
  let text = wire ? `,\n${members({ wire })}` : '';
  if (explained !== undefined) text += `,\n${explained}`;
  if (wantsClose(request)) {
    const connection = request.version === 'HTTP/2.0' ? 'close (ignored: HTTP/2)' : 'close';
    text += `,\n${members({ connection })}`;
  }
  return text;
}

const members = (some: Partial<Echo>): string => jsonMembers(some);

/** Whether the query has `connection=close` (the value without regard to case). */
export function wantsClose(request: Request): boolean {
  const query = request.target?.query ?? '';
  // Most queries lack the name, percent-encoded or not, and are not parsed again.
  if (query === '' || !/connection|%/.test(query)) return false;
  return queryOf(request).some(
    ([name, value]) => name === 'connection' && value.toLowerCase() === 'close',
  );
}

/** The `wire` object of the echo; undefined without --inspect. */
function wireView(request: Request): Echo['wire'] {
  const { inspector, notInspected } = request.connection;
  if (!inspector) return notInspected === undefined ? undefined : { missing: notInspected };
  const view: RequestView | undefined = inspector.requestView(
    request.requestNumber,
    request.stream?.id,
  );
  return view ?? { missing: 'the request is no longer kept' };
}
