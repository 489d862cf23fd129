import { endpoint } from '../server/endpoint.ts';
import { TEXT_TYPE, text } from '../server/reply.ts';

const DOCUMENT = text(`   .-------------------.
  /                     \\
 |   YOU SHOULDN'T BE    |
 |        HERE           |
  \\                     /
   '-------------------'
            ||
            ||

YOU SHOULDN'T BE HERE: /robots.txt asks crawlers to stay away.
`);

export const deny = endpoint({
  path: '/deny',
  group: 'content',
  summary: 'A page that /robots.txt disallows.',
  responses: { 200: { description: 'The page.', content: [TEXT_TYPE] } },
  handle: () => DOCUMENT,
});
