import { endpoint } from '../server/endpoint.ts';
import { explainingEcho } from '../echo/echo.ts';

export const getEcho = endpoint({
  ...explainingEcho,
  path: '/get',
  summary: 'Echoes a GET request.',
});
