import { negotiateMediaType } from '../http/accept.ts';
import { negotiateCoding } from '../http/codings.ts';
import { fieldValue } from '../http/fields.ts';
import { invalidParameter } from '../http/problem.ts';
import { singleValue } from '../http/query.ts';
import { originOf } from '../echo/echo.ts';
import { pageAssets, encodePage, assetCodings } from '../pages/home/assets.ts';
import { connectionSection } from '../pages/home/connection-section.ts';
import { homeDocument, HOME_POLICY, type Section } from '../pages/home/document.ts';
import { TRY } from '../pages/home/endpoint-form.ts';
import { hourSection, tapSection } from '../pages/home/live-sections.ts';
import { homeText } from '../pages/home/text.ts';
import { trySection, tryTarget } from '../pages/home/try-section.ts';
import { indexObject, indexPage } from '../pages/index-page.ts';
import { endpoint, queryOf, type Endpoint } from '../server/endpoint.ts';
import { HTML_TYPE, json, redirect, reply, TEXT_TYPE, type Reply } from '../server/reply.ts';
import type { Request } from '../server/request.ts';
import { EVENT_KINDS, isWireKind } from '../telemetry/tap/record.ts';
import { connectionFacts } from './index/connection-facts.ts';
import { pageFiles } from './page.ts';

/** Text first: what says that it takes anything is a program, such as curl. */
const OFFERS = [TEXT_TYPE, 'application/json', HTML_TYPE] as const;
const VARY = ['Vary', 'Accept'];

const PAGE_FIELDS = [
  'Content-Security-Policy',
  HOME_POLICY,
  'Cache-Control',
  'no-store',
  'Referrer-Policy',
  'no-referrer',
  'X-Content-Type-Options',
  'nosniff',
  'Vary',
  'Accept, Accept-Encoding',
];

/**
 * @param list every endpoint, including this one; called after startup
 * @param instance the name of the service, if it has one
 */
export function index(list: () => readonly Endpoint[], instance: string | undefined): Endpoint {
  let constant: readonly Section[] | undefined;
  return endpoint({
    id: 'index',
    path: '/',
    group: 'operations',
    summary: 'A page with your connection and every endpoint; JSON and text by Accept.',
    responses: {
      200: {
        description: 'A page, a list as JSON, or a short text.',
        content: OFFERS,
        fields: {
          Vary: '`Accept`',
        },
      },
    },
    handle({ request }) {
      const id = singleValue(queryOf(request), TRY);
      if (id !== undefined) return redirectTo(request, list(), id);
      const type = negotiateMediaType(fieldValue(request.fields, 'accept'), OFFERS) ?? TEXT_TYPE;
      switch (type) {
        case TEXT_TYPE:
          return reply(type, homeText(originOf(request), instance), { fields: VARY });
        case 'application/json':
          return json(indexObject(list()), { fields: VARY });
        case HTML_TYPE:
          // Without its files it would look like nothing.
          if (!list().includes(pageFiles)) return reply(type, indexPage(list()), { fields: VARY });
          constant ??= constantSections(list());
          return page(request, list(), [connectionSection(connectionFacts(request)), ...constant]);
      }
    },
  });
}

/** The list of endpoints that dialects have at `/`, as HTML or JSON. */
export function plainIndex(base: Endpoint, list: () => readonly Endpoint[]): Endpoint {
  let html: string | undefined;
  const offers = [HTML_TYPE, 'application/json'] as const;
  const { id, path, group } = base;
  return endpoint({
    id,
    path,
    group,
    summary: 'Lists all endpoints, as a page or as JSON.',
    responses: { 200: { description: 'The list.', content: offers, fields: { Vary: 'Accept' } } },
    handle({ request }) {
      const type = negotiateMediaType(fieldValue(request.fields, 'accept'), offers);
      if (type === 'application/json') return json(indexObject(list()), { fields: VARY });
      html ??= indexPage(list());
      return reply(HTML_TYPE, html, { fields: VARY });
    },
  });
}

function redirectTo(request: Request, endpoints: readonly Endpoint[], id: string): Reply {
  const target = tryTarget(endpoints, id, queryOf(request));
  if (target === undefined) throw invalidParameter(TRY, id, 'is no endpoint with GET');
  return redirect(target);
}

/** The sections that are the same for all requests. */
function constantSections(endpoints: readonly Endpoint[]): Section[] {
  const has = (path: string): boolean => endpoints.some((one) => one.path === path);
  return [
    trySection(endpoints),
    tapSection(has('/tap') ? EVENT_KINDS.filter((kind) => !isWireKind(kind)) : undefined),
    hourSection(has('/metrics/history')),
  ];
}

async function page(
  request: Request,
  endpoints: readonly Endpoint[],
  sections: readonly Section[],
): Promise<Reply> {
  const { hash } = await pageAssets();
  const html = homeDocument({
    sections,
    assets: `page/${hash}/`,
    instance: request.connection.instance,
    hasOpenApi: endpoints.some(({ path }) => path === '/openapi.json'),
  });
  const accepted = fieldValue(request.fields, 'accept-encoding');
  const coding = negotiateCoding(accepted, assetCodings) ?? 'identity';
  if (coding === 'identity') return reply(HTML_TYPE, html, { fields: PAGE_FIELDS });
  const fields = ['Content-Encoding', coding, ...PAGE_FIELDS];
  return reply(HTML_TYPE, await encodePage(html, coding), { fields });
}
