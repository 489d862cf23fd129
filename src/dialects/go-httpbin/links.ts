import { linksPage } from '../../endpoints/links.ts';
import { endpoint } from '../../server/endpoint.ts';
import { described, int } from '../../server/params.ts';
import { reply } from '../../server/reply.ts';
import { goInteger } from '../params.ts';

const HTML = 'text/html; charset=utf-8';

/** `offset` may be any number, even if no page links to it. */
export const links = endpoint({
  id: 'links_page',
  methods: 'any',
  path: '/links/{n}/{offset}',
  group: 'redirects',
  summary: 'Page `offset` of n pages, with links to the others.',
  params: {
    n: described('Number of pages.', int({ min: 0, max: 256 })),
    offset: described('Page, from 0.', goInteger({ min: -(2 ** 31), max: 2 ** 31 - 1 })),
  },
  responses: { 200: { description: 'The page.', content: [HTML] } },
  handle: ({ params: { n, offset } }) => reply(HTML, linksPage(n, offset)),
});
