import { endpoint } from '../server/endpoint.ts';
import { text } from '../server/reply.ts';

// RFC 9309: no page of a test service should be indexed.
const DOCUMENT = text('User-agent: *\nDisallow: /\n');

export const robots = endpoint({
  id: 'robots_txt',
  methods: ['GET'],
  path: '/robots.txt',
  group: 'content',
  summary: 'A robots.txt that disallows all paths.',
  params: {},
  responses: { 200: { description: 'The rules.', content: ['text/plain; charset=utf-8'] } },
  handle: () => DOCUMENT,
});
