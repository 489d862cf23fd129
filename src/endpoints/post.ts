import { endpoint } from '../server/endpoint.ts';
import { echoDeclaration } from '../echo/echo.ts';

export const postEcho = endpoint({
  ...echoDeclaration,
  methods: ['POST'],
  path: '/post',
  summary: 'Echoes a POST request.',
});
