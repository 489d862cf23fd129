import { endpoint, type Endpoint } from '../http/endpoint.ts';
import { anyText } from '../http/params.ts';
import { echoReply } from '../views/echo.ts';

const declaration = {
  methods: 'any',
  group: 'echo',
  freeQuery: 'Echoed in `args`; `connection=close` closes the connection on HTTP/1.x.',
  content: true,
  responses: {
    200: { description: 'The request as it came.', content: ['application/json'] },
  },
} as const;

export const anything: readonly Endpoint[] = [
  endpoint({
    ...declaration,
    id: 'anything_handler',
    path: '/anything',
    summary: 'Echoes the request: method, target, fields, content, connection and TLS.',
    params: {},
    handle: ({ request, content }) => echoReply(request, content),
  }),
  endpoint({
    ...declaration,
    id: 'anything_path_handler',
    path: '/anything/*path',
    summary: 'The same for any path below.',
    params: { path: anyText('Any path, as sent.') },
    handle: ({ request, content }) => echoReply(request, content),
  }),
];
