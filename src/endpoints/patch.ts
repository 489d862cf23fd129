import { endpoint } from '../server/endpoint.ts';
import { explainingEcho } from '../echo/echo.ts';

export const patchEcho = endpoint({
  ...explainingEcho,
  methods: ['PATCH'],
  path: '/patch',
  summary: 'Echoes a PATCH request.',
});
