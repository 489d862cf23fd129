import { endpoint } from '../server/endpoint.ts';
import { echoDeclaration, echoReply } from '../echo/echo.ts';

export const patchEcho = endpoint({
  ...echoDeclaration,
  id: 'patch',
  methods: ['PATCH'],
  path: '/patch',
  summary: 'Echoes a PATCH request.',
  params: {},
  handle: ({ request, content }) => echoReply(request, content),
});
