import { endpoint, type Endpoint } from '../server/endpoint.ts';
import { described, int } from '../server/params.ts';
import { HTML_TYPE, redirect, reply } from '../server/reply.ts';

const MAX = 256;
const pages = described('Number of pages.', int({ min: 0, max: MAX }));

/** The same page as in go-httpbin, against which crawlers and parsers are tested. */
export function linksPage(count: number, current: number): string {
  let links = '';
  for (let at = 0; at < count; at++) {
    links += at === current ? `${at} ` : `<a href="/links/${count}/${at}">${at}</a> `;
  }
  return `<html><head><title>Links</title></head><body>${links}</body></html>`;
}

export const links: readonly Endpoint[] = [
  endpoint({
    path: '/links/{n}',
    group: 'redirects',
    summary: 'Redirects to the first of n pages that link to each other.',
    params: { n: pages },
    responses: {
      302: { description: 'Always.', fields: { Location: '`/links/{n}/0`' } },
    },
    handle: ({ params: { n } }) => redirect(`/links/${n}/0`),
  }),
  endpoint({
    id: 'links_page',
    path: '/links/{n}/{offset}',
    group: 'redirects',
    summary: 'Page `offset` of n pages, with links to the others.',
    params: {
      n: pages,
      offset: described('Page, from 0.', int({ min: 0, max: MAX })),
    },
    responses: { 200: { description: 'The page.', content: [HTML_TYPE] } },
    handle: ({ params: { n, offset } }) => reply(HTML_TYPE, linksPage(n, offset)),
  }),
];
