import { repeatedText } from '../../echo/request-lines.ts';
import { plainIndex } from '../../endpoints/index.ts';
import { hasNoContent } from '../../http/status.ts';
import { override, type Endpoint, type Override } from '../../server/endpoint.ts';
import { clientAddress } from '../../server/forwarding.ts';
import { decimal, described, int } from '../../server/params.ts';
import { delayed } from '../../server/pause.ts';
import { streamPieces } from '../../server/payload.ts';
import { empty, prettyJson, reply } from '../../server/reply.ts';
import type { Request } from '../../server/request.ts';
import { NOSNIFF } from '../../server/safety.ts';
import type { DialectState } from '../adapt.ts';
import { encodings } from '../encodings.ts';
import { summarized, withHandler } from '../overrides.ts';
import { clampedInteger } from '../params.ts';
import { cookies } from './cookies.ts';
import {
  JSON_TYPE,
  postmanGetView,
  postmanHeaders,
  postmanPostView,
  postmanReply,
} from './view.ts';

const PRESENTATION = {
  pageTitle: 'Postman Echo',
  purpose: 'Endpoints to test REST clients and to make sample calls.',
};
/** Maximum seconds of a delay. */
const MAX_DELAY = 10;

function withView(path: string, view: (request: Request, content: Buffer) => unknown): Override {
  return withHandler(path, (request, content) => postmanReply(view(request, content)), [JSON_TYPE]);
}

/** Differences of Postman Echo's endpoints from wirebin's. @param endpoints returns all of them; called after startup */
export function overrides(
  { maxDuration }: DialectState,
  endpoints: () => readonly Endpoint[],
): readonly Override[] {
  return [
    { path: '/', apply: (base) => plainIndex(base, endpoints, PRESENTATION) },
    summarized('Echoes the request: query, headers and URL.', withView('/get', postmanGetView)),
    ...['/post', '/put', '/patch', '/delete'].map((path) => withView(path, postmanPostView)),
    summarized(
      'All request headers by name.',
      withView('/headers', ({ fields }) => ({ headers: postmanHeaders(fields) })),
    ),
    withView('/ip', (request) => ({ ip: clientAddress(request) })),
    ...encodings(JSON_TYPE, ({ fields, method }, member) =>
      prettyJson({ ...member, headers: postmanHeaders(fields), method }),
    ).filter(({ path }) => path !== '/brotli'),
    utf8,
    status,
    stream,
    delay(maxDuration),
    ...cookies,
  ];
}

/** /encoding/utf8, without Content-Length. */
const utf8: Override = {
  path: '/encoding/utf8',
  apply: (base) => ({
    ...base,
    async respond(request, segments, content) {
      const response = await base.respond(request, segments, content);
      const { payload } = response;
      if (typeof payload !== 'string' && !(payload instanceof Uint8Array)) return response;
      return { ...response, payload: streamPieces(1, () => payload) };
    },
  }),
};

const response = { description: 'The status in the path.', content: [JSON_TYPE] };

const status = override('/status/{code}', {
  summary: 'Responds with the status in the path, 200 to 599, and with JSON that has it.',
  params: { code: described('A status code.', int({ min: 200, max: 599 })) },
  responses: { '2XX': response, '3XX': response, '4XX': response, '5XX': response },
  handle: ({ params: { code } }) =>
    hasNoContent(code) ? empty(code) : postmanReply({ status: code }, { status: code }),
});

const stream = override('/stream/{n}', {
  summary: 'The request as JSON, n times, at most 100.',
  params: { n: described('Number of objects.', clampedInteger({ min: 0, max: 100 })) },
  additionalQuery: 'Shown in `url`.',
  responses: { 200: { description: 'The objects.', content: [JSON_TYPE] } },
  handle({ request, params: { n } }) {
    const { headers, url } = postmanGetView(request);
    const text = prettyJson({ args: { n: String(n) }, headers, url });
    return reply(JSON_TYPE, repeatedText(text, 'n', n), { fields: NOSNIFF });
  },
});

function delay(max: number): Override {
  return override('/delay/{n}', {
    summary: 'Responds after n seconds, at most 10, with JSON that has n.',
    params: { n: described('Delay in seconds.', decimal({ min: 0, max: MAX_DELAY })) },
    responses: { 200: { description: 'The delay.', content: [JSON_TYPE] } },
    handle: ({ request, params: { n } }) =>
      delayed(Math.min(n, max), request, () => postmanReply({ delay: String(n) })),
  });
}
