import { endpoint } from '../server/endpoint.ts';
import { echoDeclaration, echoReply } from '../echo/echo.ts';

export const putEcho = endpoint({
  ...echoDeclaration,
  id: 'put',
  methods: ['PUT'],
  path: '/put',
  summary: 'Echoes a PUT request.',
  params: {},
  handle: ({ request, content }) => echoReply(request, content),
});
