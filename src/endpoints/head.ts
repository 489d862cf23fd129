import { endpoint } from '../server/endpoint.ts';
import { echoDeclaration, echoReply } from '../echo/echo.ts';

export const headEcho = endpoint({
  ...echoDeclaration,
  id: 'head',
  methods: ['GET'],
  path: '/head',
  summary: 'The headers of the echo for HEAD; the whole echo for GET.',
  params: {},
  handle: ({ request, content }) => echoReply(request, content),
});
