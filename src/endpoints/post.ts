import { endpoint } from '../server/endpoint.ts';
import { echoDeclaration, echoReply } from '../echo/echo.ts';

export const postEcho = endpoint({
  ...echoDeclaration,
  id: 'post',
  methods: ['POST'],
  path: '/post',
  summary: 'Echoes a POST request.',
  params: {},
  handle: ({ request, content }) => echoReply(request, content),
});
