import { endpoint } from '../server/endpoint.ts';
import { echoDeclaration } from '../echo/echo.ts';

export const headEcho = endpoint({
  ...echoDeclaration,
  path: '/head',
  summary: 'The headers of the echo for HEAD; the whole echo for GET.',
});
