import { endpoint } from '../server/endpoint.ts';
import { echoDeclaration } from '../echo/echo.ts';

export const getEcho = endpoint({
  ...echoDeclaration,
  path: '/get',
  summary: 'Echoes a GET request.',
});
