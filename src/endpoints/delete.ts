import { endpoint } from '../server/endpoint.ts';
import { explainingEcho } from '../echo/echo.ts';

export const deleteEcho = endpoint({
  ...explainingEcho,
  methods: ['DELETE'],
  path: '/delete',
  summary: 'Echoes a DELETE request.',
});
