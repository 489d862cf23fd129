import type { Endpoint } from '../../server/endpoint.ts';
import { reply } from '../../server/reply.ts';
import { statusEndpoint } from '../status.ts';
import { TEXT_TYPE } from './replies.ts';

const IMAGES = ['/image/jpeg', '/image/png', '/image/svg'];
const [FIRST = ''] = IMAGES;
const location = ['Location', FIRST];

const MULTIPLE_CHOICES = `<!doctype html>
<head>
<title>Multiple Choices</title>
</head>
<body>
<ul>
${IMAGES.map((path) => `<li><a href="${path}">${path}</a></li>`).join('\n')}
</body>
</html>`;

const PERMANENT_REDIRECT = `<!doctype html>
<head>
<title>Permanent Redirect</title>
</head>
<body>Permanently redirected to <a href="${FIRST}">${FIRST}</a>
</body>
</html>`;

const final = statusEndpoint(TEXT_TYPE, [
  [300, { fields: location, content: MULTIPLE_CHOICES }],
  [308, { fields: location, content: PERMANENT_REDIRECT }],
]);

/** Also allows 100, followed by 200 as in Go. */
export const status: Endpoint = {
  ...final,
  respond(request, segments, content) {
    if (segments[0] !== '100') return final.respond(request, segments, content);
    return { ...reply(TEXT_TYPE, ''), afterContinue: true };
  },
};
