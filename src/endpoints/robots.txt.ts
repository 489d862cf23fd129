import { endpoint } from '../server/endpoint.ts';
import { text } from '../server/reply.ts';

// No page here is worth a crawler's time (RFC 9309).
const DOCUMENT = text('User-agent: *\nDisallow: /\n');

export const robots = endpoint({
  id: 'robots_txt',
  methods: ['GET'],
  path: '/robots.txt',
  group: 'content',
  summary: 'Asks crawlers to stay away.',
  params: {},
  responses: { 200: { description: 'The rules.', content: ['text/plain; charset=utf-8'] } },
  handle: () => DOCUMENT,
});
