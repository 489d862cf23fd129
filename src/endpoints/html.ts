import { endpoint } from '../server/endpoint.ts';
import { staticDocument, representationResponses } from '../server/representation.ts';

const TYPE = 'text/html; charset=utf-8';

const respond = staticDocument(
  TYPE,
  `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <title>The smallest web</title>
  </head>
  <body>
    <h1>The smallest web</h1>
    <p>Three pages linked to each other, and each was sure that it was the first. “Somebody has to
      be asked for nothing in particular,” said <a href="/">the one at the slash</a>, “and that is
      me.”</p>
  </body>
</html>
`,
);

export const htmlDocument = endpoint({
  id: 'html',
  methods: ['GET'],
  path: '/html',
  group: 'content',
  summary: 'A small fixed HTML document.',
  params: {},
  responses: representationResponses({ description: 'The document.', content: [TYPE] }),
  handle: ({ request }) => respond(request),
});
