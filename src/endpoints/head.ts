import { endpoint } from '../server/endpoint.ts';
import { explainingEcho } from '../echo/echo.ts';

export const headEcho = endpoint({
  ...explainingEcho,
  path: '/head',
  summary: 'The headers of the echo for HEAD; the whole echo for GET.',
});
