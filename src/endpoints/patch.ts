import { endpoint } from '../http/endpoint.ts';
import { echoDeclaration, echoReply } from '../views/echo.ts';

export const patchEcho = endpoint({
  ...echoDeclaration,
  id: 'patch',
  methods: ['PATCH'],
  path: '/patch',
  summary: 'Echoes a PATCH request.',
  params: {},
  handle: ({ request, content }) => echoReply(request, content),
});
