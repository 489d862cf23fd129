import { linksPage } from '../../endpoints/links.ts';
import { endpoint } from '../../server/endpoint.ts';
import { described, int } from '../../server/params.ts';
import { reply } from '../../server/reply.ts';
import { whole } from '../params.ts';

const HTML = 'text/html; charset=utf-8';

/** Any page is there, whether there is a link to it or not. */
export const links = endpoint({
  id: 'links_page',
  methods: 'any',
  path: '/links/{n}/{offset}',
  group: 'redirects',
  summary: 'A page with links to n such pages, but for the one that it is.',
  params: {
    n: described('How many pages.', int({ min: 0, max: 256 })),
    offset: described('Which page, from 0.', whole({ min: -(2 ** 31), max: 2 ** 31 - 1 })),
  },
  responses: { 200: { description: 'The page.', content: [HTML] } },
  handle: ({ params: { n, offset } }) => reply(HTML, linksPage(n, offset)),
});
