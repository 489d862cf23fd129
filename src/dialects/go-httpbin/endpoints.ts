import { linksPage } from '../../endpoints/links.ts';
import { plainIndex } from '../../endpoints/index.ts';
import { range } from '../../endpoints/range.ts';
import type { RedirectTargets } from '../../endpoints/redirect-to.ts';
import { Problem } from '../../http/problem.ts';
import { indexPage, PURPOSE } from '../../pages/index-page.ts';
import { override, type Endpoint, type Override } from '../../server/endpoint.ts';
import { decimal, described, int, optional } from '../../server/params.ts';
import { MAX_REQUESTED_CONTENT } from '../../server/payload.ts';
import { HTML_TYPE, reply, text, TEXT_TYPE } from '../../server/reply.ts';
import { VERSION } from '../../version.ts';
import type { DialectState } from '../adapt.ts';
import { bytes } from '../bytes.ts';
import { documents } from '../documents.ts';
import { encodings } from '../encodings.ts';
import { forAnyMethod, intercepted, withErrors, withHandler } from '../overrides.ts';
import { goInteger, seed } from '../params.ts';
import { GoRandom } from '../random/go.ts';
import { redirects } from '../redirects.ts';
import { statuses } from '../status.ts';
import { basicAndBearer, digest } from './authentication.ts';
import { base64 } from './base64.ts';
import { cookies } from './cookies.ts';
import { echoes, methodEchoes, responseHeadersEcho } from './echoes.ts';
import { goError, goJsonText, goReply, JSON_TYPE, withView } from './replies.ts';
import { timing } from './timing.ts';
import { goHttpbinGetView } from './view.ts';
import { websocket } from './websocket.ts';

const ANY_INTEGER = { min: -(2 ** 31), max: 2 ** 31 - 1 };

/**
 * Differences of go-httpbin's endpoints from wirebin's.
 *
 * @param endpoints returns every endpoint of the dialect; called with the first request
 */
export function overrides(
  state: DialectState,
  endpoints: () => readonly Endpoint[],
): readonly Override[] {
  const { maxDuration, maxBodySize, nonces } = state;
  // The maximum body size also limits responses, as in the original.
  const maxContent = Math.min(maxBodySize, MAX_REQUESTED_CONTENT);
  const anyMethod: readonly Override[] = [
    ...echoes,
    ...encodings(JSON_TYPE, (request, member) =>
      goJsonText({ ...goHttpbinGetView(request), ...member }),
    ),
    ...operations(state),
    ...documents(JSON_TYPE, TEXT_TYPE),
    ...redirects,
    restrictedRedirect(state.allowedRedirectDomains),
    responseHeadersEcho(state.allowedRedirectDomains),
    status,
    links,
    unstable,
    ...timing(maxDuration, maxContent),
    ...bytes({
      n: goInteger({ min: 0, max: maxContent }),
      chunkSize: goInteger(ANY_INTEGER),
      createRandom: (value) => new GoRandom(value),
    }),
    {
      path: '/range/{n}',
      apply: () => range(maxDuration, { type: TEXT_TYPE, etagPrefix: 'range' }),
    },
    ...cookies,
    ...base64(maxBodySize),
    ...images,
    ...basicAndBearer,
    ...digest(nonces),
  ];
  return [
    ...methodEchoes(state.maxUploadSize),
    index(endpoints),
    websocket(maxBodySize, state.idleTimeout),
    ...anyMethod.map(forAnyMethod),
  ];
}

const PRESENTATION = {
  pageTitle: 'go-httpbin(1): HTTP Client Testing Service',
  purpose: PURPOSE,
};
const POLICY = "default-src 'self'; style-src 'self' 'unsafe-inline'";

function index(endpoints: () => readonly Endpoint[]): Override {
  let page: string | undefined;
  const { path, apply } = withHandler(
    '/',
    () => {
      page ??= indexPage(endpoints(), PRESENTATION);
      return reply(HTML_TYPE, page, { fields: ['Content-Security-Policy', POLICY] });
    },
    [HTML_TYPE],
  );
  return { path, apply: (base) => apply(plainIndex(base, endpoints, PRESENTATION)) };
}

function operations({ environment, hostname }: DialectState): readonly Override[] {
  return [
    withView('/version', () => ({ service: 'wirebin', version: VERSION })),
    withView('/env', () => ({ env: environment })),
    withView('/hostname', () => ({ hostname })),
  ];
}

/** /redirect-to, with go-httpbin's warning for hosts that are not allowed. */
function restrictedRedirect(allowed: RedirectTargets): Override {
  const hosts = allowed === 'anywhere' ? [] : allowed.map((host) => `- ${host}`).toSorted();
  const warning = [
    'Forbidden redirect URL. Please be careful with this link.',
    '',
    'Allowed redirect destinations:',
    ...hosts,
  ].join('\n');
  return withErrors('/redirect-to', ({ code, status: code403 }) =>
    code === 'redirect-not-allowed' ? text(warning, { status: code403 }) : undefined,
  );
}

const IMAGES = ['/image/jpeg', '/image/png', '/image/svg'];
const [FIRST = ''] = IMAGES;
const location = ['Location', FIRST];

const MULTIPLE_CHOICES = `<!doctype html>
<head>
<title>Multiple Choices</title>
</head>
<body>
<ul>
${IMAGES.map((path) => `<li><a href="${path}">${path}</a></li>`).join('\n')}
</body>
</html>`;

const PERMANENT_REDIRECT = `<!doctype html>
<head>
<title>Permanent Redirect</title>
</head>
<body>Permanently redirected to <a href="${FIRST}">${FIRST}</a>
</body>
</html>`;

const finalStatus = statuses(TEXT_TYPE, [
  [300, { fields: location, content: MULTIPLE_CHOICES }],
  [308, { fields: location, content: PERMANENT_REDIRECT }],
]);

/** /status/{code}, which also allows 100: 200 follows, as in Go. */
const status = intercepted(finalStatus, ([code]) =>
  code === '100' ? { ...reply(TEXT_TYPE, ''), afterContinue: true } : undefined,
);

/** /links/{n}/{offset}, whose offset may be any number, even if no page links to it. */
const links = override('/links/{n}/{offset}', {
  params: {
    n: described('Number of pages.', int({ min: 0, max: 256 })),
    offset: described('Page, from 0.', goInteger(ANY_INTEGER)),
  },
  handle: ({ params: { n, offset } }) => reply(HTML_TYPE, linksPage(n, offset)),
});

const unstable = override('/unstable', {
  summary: 'Fails with 500 with probability `failure_rate`, else 200; reproducible with `seed`.',
  query: {
    failure_rate: described('Failure probability.', optional(decimal({ min: 0, max: 1 }), 0.5)),
    seed,
  },
  handle: ({ query }) =>
    reply(TEXT_TYPE, '', { status: chance(query.seed) < query.failure_rate ? 500 : 200 }),
});

function chance(value: bigint | undefined): number {
  return value === undefined ? Math.random() : new GoRandom(value).fraction();
}

/** Images. As in the original, an unknown format and the alias jpg are 404, and an unsupported Accept is 415. */
const images: readonly Override[] = [
  withErrors('/image', ({ code }) =>
    code === 'not-acceptable'
      ? goReply(goError(415, 'Unsupported Media Type'), { status: 415 })
      : undefined,
  ),
  intercepted(
    withErrors('/image/{format}', ({ code }) =>
      code === 'invalid-parameter' ? noSuchImage() : undefined,
    ),
    ([format]) => (format === 'jpg' ? noSuchImage() : undefined),
  ),
];

function noSuchImage(): never {
  throw new Problem('not-found', 'there is no image in that format');
}
