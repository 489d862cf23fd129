import { asterisks } from '../../endpoints/drip.ts';
import { plainIndex } from '../../endpoints/index.ts';
import { range } from '../../endpoints/range.ts';
import { checkRefresh, type RedirectTargets } from '../../endpoints/redirect-to.ts';
import { checkFields } from '../../endpoints/response-headers.ts';
import { decodeFieldText } from '../../http/fields.ts';
import { groupByName, type QueryPairs } from '../../http/query.ts';
import { hasNoContent } from '../../http/status.ts';
import { override, queryOf, type Endpoint, type Override } from '../../server/endpoint.ts';
import { decimal, described, int, optional } from '../../server/params.ts';
import { delayed } from '../../server/pause.ts';
import { MAX_REQUESTED_CONTENT } from '../../server/payload.ts';
import { BYTES_TYPE, empty, HTML_TYPE, reply, TEXT_TYPE, type Reply } from '../../server/reply.ts';
import type { Request } from '../../server/request.ts';
import { escapeMarkupInJson, NOSNIFF, nosniffFor } from '../../server/safety.ts';
import type { DialectState } from '../adapt.ts';
import { bytes } from '../bytes.ts';
import { documents } from '../documents.ts';
import { encodings } from '../encodings.ts';
import { flaskJson } from '../json.ts';
import {
  forGetOnly,
  intercepted,
  summarized,
  withContent,
  withErrors,
  withHandler,
} from '../overrides.ts';
import { clampedInteger } from '../params.ts';
import { PythonRandom } from '../random/python.ts';
import { redirects } from '../redirects.ts';
import { NOT_ACCEPTABLE, statuses } from '../status.ts';
import { authentication } from './authentication.ts';
import { cookies } from './cookies.ts';
import { flaskReply, JSON_TYPE } from './replies.ts';
import {
  httpbinEncodedView,
  httpbinGetView,
  httpbinHeaders,
  httpbinLines,
  httpbinOrigin,
  httpbinPostView,
} from './view.ts';

/** Of the page at `/`, as at httpbin.org and in its image. */
const PRESENTATION = {
  pageTitle: 'httpbin.org',
  purpose: 'A simple HTTP Request &amp; Response Service.',
};
/** Maximum seconds of a delay: httpbin shortens longer ones. */
const MAX_DELAY = 10;
/** Maximum bytes of random and range content. */
const MAX_BYTES = 100 * 1024;

const noRange = reply(TEXT_TYPE, `number of bytes must be in the range (0, ${MAX_BYTES}]`, {
  status: 404,
});

/** Differences of httpbin's endpoints from wirebin's. @param endpoints returns all of them; called after startup */
export function overrides(
  { maxDuration, allowedRedirectDomains }: DialectState,
  endpoints: () => readonly Endpoint[],
): readonly Override[] {
  return [
    { path: '/', apply: (base) => plainIndex(base, endpoints, PRESENTATION) },
    ...echoes,
    ...encodings(JSON_TYPE, (request, member) =>
      flaskJson({ ...httpbinEncodedView(request), ...member }),
    ),
    ...documents(JSON_TYPE, 'text/plain'),
    ...redirects.map(forGetOnly),
    statuses(HTML_TYPE),
    delay(maxDuration),
    drip(maxDuration),
    stream,
    ...bytes({
      n: clampedInteger({ min: 0, max: MAX_BYTES }),
      chunkSize: clampedInteger({ min: 1, max: MAX_BYTES }),
      createRandom: (seed) => new PythonRandom(seed),
    }),
    intercepted(
      {
        path: '/range/{n}',
        apply: () => range(maxDuration, { type: BYTES_TYPE, etagPrefix: 'range' }),
      },
      ([n]) => (Number(n) === 0 || Number(n) > MAX_BYTES ? noRange : undefined),
    ),
    ...cookies,
    withHandler('/response-headers', (request) => responseHeaders(request, allowedRedirectDomains)),
    ...images,
    ...authentication.map(forGetOnly),
  ];
}

function withView(path: string, view: (request: Request, content: Buffer) => unknown): Override {
  return withHandler(path, (request, content) => flaskReply(view(request, content)));
}

function anything(request: Request, content: Buffer): unknown {
  return { ...httpbinPostView(request, content), method: request.method };
}

/** Endpoints that show the request. */
const echoes: readonly Override[] = [
  ...['/cache', '/cache/{n}', '/etag/{etag}'].map((path) =>
    forGetOnly(
      withContent(path, (request, fields) => flaskReply(httpbinGetView(request), { fields })),
    ),
  ),
  summarized(
    'Echoes the request: method, URL, headers, content, and the address of the client.',
    withView('/anything', anything),
  ),
  withView('/anything/*path', anything),
  withView('/get', httpbinGetView),
  ...['/post', '/put', '/patch', '/delete'].map((path) => withView(path, httpbinPostView)),
  summarized(
    'All request headers by name.',
    withView('/headers', ({ fields }) => ({ headers: httpbinHeaders(fields) })),
  ),
  withView('/ip', (request) => ({ origin: httpbinOrigin(request) })),
];

const images = ['/image', '/image/{format}'].map((path) =>
  withErrors(path, ({ code, status, fields }) =>
    code === 'not-acceptable' ? flaskReply(NOT_ACCEPTABLE, { status, fields }) : undefined,
  ),
);

function responseHeaders(request: Request, allowed: RedirectTargets): Reply {
  const pairs = [...queryOf(request, 'latin1')];
  checkFields(pairs);
  checkRefresh(pairs, request, allowed);
  const hasType = pairs.some(([name]) => name.toLowerCase() === 'content-type');
  if (!hasType) pairs.push(['Content-Type', JSON_TYPE]);
  const fields = [...pairs.flat(), ...nosniffFor(pairs)];
  return { status: 200, fields, payload: fieldsAsJson(pairs), replacesDefaults: true };
}

/** JSON of fields. It includes its own Content-Length, so it is made again until the length is stable. */
function fieldsAsJson(pairs: QueryPairs): string {
  const members = pairs.map(([name, value]): [string, string] => [name, decodeFieldText(value)]);
  const text = (length: number): string =>
    escapeMarkupInJson(flaskJson(groupByName([...members, ['Content-Length', String(length)]])));
  let content = text(0);
  for (let next = text(content.length); next !== content; next = text(content.length)) {
    content = next;
  }
  return content;
}

function delay(max: number): Override {
  return override('/delay/{n}', {
    summary: 'Echoes the request after n seconds, at most 10.',
    params: {
      n: described('Delay in seconds.', decimal({ min: 0, max: Number.MAX_SAFE_INTEGER })),
    },
    content: true,
    additionalQuery: 'Echoed in `args`.',
    responses: { 200: { description: 'The request.', content: [JSON_TYPE] } },
    handle: ({ request, content, params: { n } }) =>
      delayed(Math.min(n, MAX_DELAY, max), request, () => {
        const { json: _, ...view } = httpbinPostView(request, content);
        return flaskReply(view);
      }),
  });
}

function drip(max: number): Override {
  const seconds = decimal({ min: 0, max });
  return override('/drip', {
    methods: ['GET'],
    summary: 'Sends asterisks, spread evenly over a duration, with Content-Length.',
    query: {
      duration: described(
        'Seconds over which they are spread.',
        optional(seconds, Math.min(2, max)),
      ),
      numbytes: described(
        'Number of bytes.',
        optional(int({ min: 1, max: MAX_REQUESTED_CONTENT }), 10),
      ),
      code: described('Status code.', optional(int({ min: 200, max: 599 }), 200)),
      delay: described('Initial delay in seconds.', optional(seconds, 0)),
    },
    responses: { '2XX': { description: 'The status in `code`.', content: [BYTES_TYPE] } },
    handle: ({ request, query }) =>
      delayed(query.delay, request, () => {
        const { duration, numbytes, code } = query;
        if (hasNoContent(code)) return empty(code);
        // In httpbin, there is also a pause after the last byte.
        const spread = (duration * (numbytes - 1)) / numbytes;
        return reply(BYTES_TYPE, asterisks(numbytes, spread, numbytes), { status: code });
      }),
  });
}

const stream = override('/stream/{n}', {
  summary: 'The request as a line of JSON with an `id`, n times, at most 100.',
  params: { n: described('Number of lines.', clampedInteger({ min: 0, max: 100 })) },
  additionalQuery: 'Echoed in `args`.',
  responses: { 200: { description: 'The lines.', content: [JSON_TYPE] } },
  handle: ({ request, params: { n } }) =>
    reply(JSON_TYPE, httpbinLines(request).payload('n', n), { fields: NOSNIFF }),
});
