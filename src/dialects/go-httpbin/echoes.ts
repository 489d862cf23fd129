import { randomUUID } from 'node:crypto';
import { checkRefresh, type RedirectTargets } from '../../endpoints/redirect-to.ts';
import { checkFields } from '../../endpoints/response-headers.ts';
import { replyWithTrailers } from '../../endpoints/trailers.ts';
import { measureContent } from '../../endpoints/upload.ts';
import { decodeFieldText, fieldValue } from '../../http/fields.ts';
import { isToken } from '../../http/syntax.ts';
import { Problem } from '../../http/problem.ts';
import { queryOf, type Override } from '../../server/endpoint.ts';
import type { Request } from '../../server/request.ts';
import { reply, text, TEXT_TYPE, type Reply } from '../../server/reply.ts';
import { NOSNIFF, nosniffFor } from '../../server/safety.ts';
import { goHeader, goHost, valuesByName } from '../go-fields.ts';
import { forAnyMethod, summarized, withContent, withHandler } from '../overrides.ts';
import { escapeHtmlAsGo, goJsonText, goReply, isEscaped, JSON_TYPE, withView } from './replies.ts';
import { goHttpbinGetView, goHttpbinHeaders, goHttpbinOrigin, goHttpbinPostView } from './view.ts';

/**
 * Endpoints that allow a single method.
 *
 * @param maxUploadSize in bytes
 */
export function methodEchoes(maxUploadSize: number): readonly Override[] {
  return [
    withView('/get', goHttpbinGetView),
    summarized('The headers of the echo for HEAD.', forAnyMethod(withView('/head', head))),
    ...['/post', '/put', '/patch', '/delete'].map((path) => withView(path, goHttpbinPostView)),
    summarized(
      'Receives content up to --max-upload-size, and echoes the request with its length.',
      withHandler(
        '/upload',
        async (request) => {
          const { bytes_received } = await measureContent(request, maxUploadSize);
          return goReply({ ...goHttpbinGetView(request), bytes_received });
        },
        [JSON_TYPE],
      ),
    ),
  ];
}

/** @throws Problem method-not-allowed */
function head(request: Request): unknown {
  const { method } = request;
  if (method === 'HEAD') return goHttpbinGetView(request);
  throw new Problem('method-not-allowed', `/head does not allow ${method}`, ['Allow', 'HEAD']);
}

function anything(request: Request, content: Buffer): unknown {
  return request.method === 'HEAD'
    ? goHttpbinGetView(request)
    : goHttpbinPostView(request, content);
}

/** Further endpoints that show the request, and /uuid. */
export const echoes: readonly Override[] = [
  ...['/cache', '/cache/{n}'].map((path) =>
    withContent(path, (request, fields) => goReply(goHttpbinGetView(request), { fields })),
  ),
  withContent('/etag/{etag}', (request, fields) =>
    reply(TEXT_TYPE, goJsonText(goHttpbinGetView(request)), { fields: [...fields, ...NOSNIFF] }),
  ),
  summarized(
    'Echoes the request: method, URL, headers, content, and the address of the client.',
    withView('/anything', anything),
  ),
  withView('/anything/*path', anything),
  withHandler(
    '/trailers',
    (request, content) =>
      replyWithTrailers(request, JSON_TYPE, goJsonText(goHttpbinPostView(request, content))),
    [JSON_TYPE],
  ),
  summarized(
    'All request headers by name.',
    withView('/headers', (request) => ({ headers: goHttpbinHeaders(request) })),
  ),
  withView('/user-agent', ({ fields }) => ({
    'user-agent': fieldValue(fields, 'user-agent') ?? '',
  })),
  withView('/uuid', () => ({ uuid: randomUUID() })),
  withHandler('/ip', address, [JSON_TYPE, TEXT_TYPE]),
  withHandler(
    '/dump/request',
    (request, content) =>
      reply(TEXT_TYPE, Buffer.concat([Buffer.from(headOf(request)), content]), { fields: NOSNIFF }),
    [TEXT_TYPE],
  ),
];

/** /response-headers. @param redirects where Refresh may lead */
export function responseHeadersEcho(redirects: RedirectTargets): Override {
  return withHandler('/response-headers', (request) => responseHeaders(request, redirects), [
    JSON_TYPE,
  ]);
}

function address(request: Request): Reply {
  const origin = goHttpbinOrigin(request);
  const isPlain = queryOf(request).some(([name, value]) => name === 'format' && value === 'text');
  return isPlain ? text(`${origin}\n`) : goReply({ origin });
}

/** The header section in the form of Go's DumpRequest: Host first, then other fields sorted by name. */
function headOf({ method, rawTarget, version, target, fields }: Request): string {
  const lines = [`${method} ${rawTarget} ${version}`, `Host: ${goHost(target?.authority, fields)}`];
  const coding = fieldValue(fields, 'transfer-encoding');
  if (coding !== undefined) lines.push(`Transfer-Encoding: ${coding}`);
  for (const [name, values] of Object.entries(goHeader(fields))) {
    for (const value of values) lines.push(`${name}: ${value}`);
  }
  return `${lines.join('\r\n')}\r\n\r\n`;
}

/** Responds with fields. One with an invalid name is not sent, but appears in the JSON, as in the original. */
function responseHeaders(request: Request, redirects: RedirectTargets): Reply {
  const pairs = [...queryOf(request, 'latin1')];
  const contentType = pairs.find(([name]) => name.toLowerCase() === 'content-type');
  if (!contentType) pairs.push(['Content-Type', JSON_TYPE]);
  const fields = pairs.filter(([name]) => isToken(name));
  checkFields(fields);
  checkRefresh(fields, request, redirects);
  const isSafe = !isEscaped(contentType?.[1] ?? JSON_TYPE);
  const members = pairs.map((pair): [string, string] => {
    const [name, value] = pair.map((bytes) =>
      isSafe ? decodeFieldText(bytes) : escapeHtmlAsGo(decodeFieldText(bytes)),
    );
    return [name ?? '', value ?? ''];
  });
  const payload = Buffer.from(goJsonText(valuesByName(members)));
  return {
    status: 200,
    fields: [...fields.flat(), ...nosniffFor(fields)],
    payload,
    replacesDefaults: true,
  };
}
