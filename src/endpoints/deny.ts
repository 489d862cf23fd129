import { endpoint } from '../server/endpoint.ts';
import { text } from '../server/reply.ts';

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
  id: 'deny',
  methods: ['GET'],
  path: '/deny',
  group: 'content',
  summary: 'A page that /robots.txt disallows.',
  params: {},
  responses: { 200: { description: 'The page.', content: ['text/plain; charset=utf-8'] } },
  handle: () => DOCUMENT,
});
