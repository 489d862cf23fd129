import { endpoint } from '../server/endpoint.ts';
import { echoDeclaration, echoReply } from '../echo/echo.ts';

export const getEcho = endpoint({
  ...echoDeclaration,
  id: 'get',
  methods: ['GET'],
  path: '/get',
  summary: 'Echoes a GET request.',
  params: {},
  handle: ({ request, content }) => echoReply(request, content),
});
