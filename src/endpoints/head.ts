import { endpoint } from '../http/endpoint.ts';
import { echoDeclaration, echoReply } from '../views/echo.ts';

export const headEcho = endpoint({
  ...echoDeclaration,
  id: 'head',
  methods: ['GET'],
  path: '/head',
  summary: 'The fields of an echo for HEAD; the whole of it for GET.',
  params: {},
  handle: ({ request, content }) => echoReply(request, content),
});
