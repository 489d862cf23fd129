import { endpoint } from '../server/endpoint.ts';
import { echoDeclaration } from '../echo/echo.ts';

export const deleteEcho = endpoint({
  ...echoDeclaration,
  methods: ['DELETE'],
  path: '/delete',
  summary: 'Echoes a DELETE request.',
});
