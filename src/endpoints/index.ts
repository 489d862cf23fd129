import { negotiateMediaType } from '../http/accept.ts';
import { fieldValue } from '../http/fields.ts';
import { singleValue } from '../http/query.ts';
import { originOf } from '../echo/request-url.ts';
import { TRY } from '../pages/home/endpoint-form.ts';
import { homeText } from '../pages/home/text.ts';
import { indexObject, indexPage, type Presentation } from '../pages/index-page.ts';
import { endpoint, queryOf, type Endpoint } from '../server/endpoint.ts';
import { HTML_TYPE, json, reply, TEXT_TYPE, type Reply } from '../server/reply.ts';
import type { Request } from '../server/request.ts';
import { turns } from '../net/scheduler.ts';
import { pageFiles } from './page.ts';

type Page = (request: Request) => Reply | Promise<Reply>;

/** Types of the index. Text is first: a client that accepts anything is a program such as curl. */
const OFFERS = [TEXT_TYPE, 'application/json', HTML_TYPE] as const;
const VARY = ['Vary', 'Accept'];

/**
 * @param list returns every endpoint, including this one; called after startup
 * @param instance name of the service; undefined without one
 */
export function index(list: () => readonly Endpoint[], instance: string | undefined): Endpoint {
  let listed: Reply | undefined;
  let plainPage: Reply | undefined;
  let page: Page | undefined;
  let loading: Promise<Page> | undefined;
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
      if (id !== undefined) return tryRedirect(request, list(), id);
      const type = negotiateMediaType(fieldValue(request.fields, 'accept'), OFFERS) ?? TEXT_TYPE;
      switch (type) {
        case TEXT_TYPE:
          return reply(type, homeText(originOf(request), instance), { fields: VARY });
        case 'application/json':
          return (listed ??= json(indexObject(list()), { fields: VARY }));
        case HTML_TYPE:
          // Without its style sheet and modules (--disable), the page would be unusable.
          if (!list().includes(pageFiles)) {
            return (plainPage ??= indexReply(list()));
          }
          if (page) return page(request);
          loading ??= loadPage(list(), instance).catch((error: unknown) => {
            // The next request tries again: a file cannot be read while all descriptors are used.
            loading = undefined;
            throw error;
          });
          return loading.then((loaded) => {
            page = loaded;
            return turns.resultOf(request.connection, () => loaded(request));
          });
      }
    },
  });
}

/** The list of endpoints that dialects have at `/`, as HTML or JSON. */
export function plainIndex(
  base: Endpoint,
  list: () => readonly Endpoint[],
  presentation: Presentation,
): Endpoint {
  let listed: Reply | undefined;
  let page: Reply | undefined;
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
      if (type === 'application/json') {
        return (listed ??= json(indexObject(list()), { fields: VARY }));
      }
      return (page ??= indexReply(list(), presentation));
    },
  });
}

/** The content is a Buffer, because a string would be encoded for each response. */
function indexReply(endpoints: readonly Endpoint[], presentation?: Presentation): Reply {
  return reply(HTML_TYPE, Buffer.from(indexPage(endpoints, presentation)), { fields: VARY });
}

/** Loads the modules of the page at the first request of a browser: most services never get one. */
async function loadPage(
  endpoints: readonly Endpoint[],
  instance: string | undefined,
): Promise<Page> {
  const { homePage } = await import('./index/home.ts');
  return homePage(endpoints, instance);
}

async function tryRedirect(
  request: Request,
  endpoints: readonly Endpoint[],
  id: string,
): Promise<Reply> {
  const { tryReply } = await import('./index/home.ts');
  return tryReply(request, endpoints, id);
}
