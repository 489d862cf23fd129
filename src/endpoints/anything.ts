import { endpoint, type Endpoint } from '../server/endpoint.ts';
import { anyText } from '../server/params.ts';
import { explainingEcho } from '../echo/echo.ts';

export const anything: readonly Endpoint[] = [
  endpoint({
    ...explainingEcho,
    id: 'anything_handler',
    methods: 'any',
    path: '/anything',
    summary: 'Echoes the request: method, target, headers, content, connection and TLS.',
  }),
  endpoint({
    ...explainingEcho,
    id: 'anything_path_handler',
    methods: 'any',
    path: '/anything/*path',
    summary: 'Like /anything, for any path below it.',
    params: { path: anyText('Any path, as sent.') },
  }),
];
