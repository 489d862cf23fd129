import { endpoint } from '../server/endpoint.ts';
import { TEXT_TYPE, text } from '../server/reply.ts';

// Crawlers must not index any page of a test service (RFC 9309).
const DOCUMENT = text('User-agent: *\nDisallow: /\n');

export const robots = endpoint({
  path: '/robots.txt',
  group: 'content',
  summary: 'A robots.txt that disallows all paths.',
  responses: { 200: { description: 'The rules.', content: [TEXT_TYPE] } },
  handle: () => DOCUMENT,
});
