import { endpoint } from '../server/endpoint.ts';
import { echoDeclaration, echoReply } from '../echo/echo.ts';

export const deleteEcho = endpoint({
  ...echoDeclaration,
  id: 'delete',
  methods: ['DELETE'],
  path: '/delete',
  summary: 'Echoes a DELETE request.',
  params: {},
  handle: ({ request, content }) => echoReply(request, content),
});
