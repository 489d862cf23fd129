import { negotiateMediaType } from '../http/accept.ts';
import { endpoint, type Endpoint } from '../server/endpoint.ts';
import { fieldValue } from '../http/fields.ts';
import { HTML_TYPE, json, reply } from '../server/reply.ts';
import { indexObject, indexPage } from '../pages/index-page.ts';

const OFFERS = [HTML_TYPE, 'application/json'] as const;
const VARY = { fields: ['Vary', 'Accept'] };

/** @param list every endpoint, including this one; called after startup */
export function index(list: () => readonly Endpoint[]): Endpoint {
  let html: string | undefined;
  return endpoint({
    id: 'index',
    path: '/',
    group: 'operations',
    summary: 'Lists all endpoints, as a page or as JSON.',
    responses: {
      200: { description: 'The list.', content: OFFERS, fields: { Vary: 'Accept' } },
    },
    handle({ request }) {
      const type = negotiateMediaType(fieldValue(request.fields, 'accept'), OFFERS);
      if (type === 'application/json') return json(indexObject(list()), VARY);
      html ??= indexPage(list());
      return reply(OFFERS[0], html, VARY);
    },
  });
}
