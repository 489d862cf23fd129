import { endpoint } from '../server/endpoint.ts';
import { HTML_TYPE } from '../server/reply.ts';
import { documentDeclaration } from '../server/representation.ts';

const DOCUMENT = `<!doctype html>
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
`;

export const htmlDocument = endpoint({
  ...documentDeclaration(HTML_TYPE, DOCUMENT),
  path: '/html',
  summary: 'A small fixed HTML document.',
});
