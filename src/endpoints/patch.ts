import { endpoint } from '../server/endpoint.ts';
import { echoDeclaration } from '../echo/echo.ts';

export const patchEcho = endpoint({
  ...echoDeclaration,
  methods: ['PATCH'],
  path: '/patch',
  summary: 'Echoes a PATCH request.',
});
