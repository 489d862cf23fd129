import { endpoint } from '../server/endpoint.ts';
import { echoDeclaration } from '../echo/echo.ts';

export const putEcho = endpoint({
  ...echoDeclaration,
  methods: ['PUT'],
  path: '/put',
  summary: 'Echoes a PUT request.',
});
