import { endpoint } from '../server/endpoint.ts';
import { explainingEcho } from '../echo/echo.ts';

export const postEcho = endpoint({
  ...explainingEcho,
  methods: ['POST'],
  path: '/post',
  summary: 'Echoes a POST request.',
});
