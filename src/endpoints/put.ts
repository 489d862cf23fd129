import { endpoint } from '../server/endpoint.ts';
import { explainingEcho } from '../echo/echo.ts';

export const putEcho = endpoint({
  ...explainingEcho,
  methods: ['PUT'],
  path: '/put',
  summary: 'Echoes a PUT request.',
});
