import { endpoint, queryOf, type Endpoint } from '../http/endpoint.ts';
import type { Request } from '../http/exchange.ts';
import { anyText } from '../http/params.ts';
import { json, type Reply } from '../http/reply.ts';
import { echo } from '../views/echo.ts';

const responses = {
  200: { description: 'The request as it came.', content: ['application/json'] },
};

async function answer(request: Request, content: Buffer): Promise<Reply> {
  const view = await echo(request, content);
  const close = queryOf(request).some(
    ([name, value]) => name === 'connection' && value.toLowerCase() === 'close',
  );
  if (!close) return json(view);
  const ignored = request.version === 'HTTP/2.0';
  view['connection'] = ignored ? 'close (ignored: HTTP/2)' : 'close';
  return { ...json(view), close };
}

export const anything: readonly Endpoint[] = [
  endpoint({
    id: 'anything_handler',
    methods: 'any',
    path: '/anything',
    group: 'echo',
    summary: 'Echoes the request: method, target, fields, content, connection and TLS.',
    params: {},
    freeQuery: 'Echoed in `args`; `connection=close` closes the connection on HTTP/1.x.',
    content: true,
    responses,
    handle: ({ request, content }) => answer(request, content),
  }),
  endpoint({
    id: 'anything_path_handler',
    methods: 'any',
    path: '/anything/*path',
    group: 'echo',
    summary: 'The same for any path below.',
    params: { path: anyText('Any path, as sent.') },
    freeQuery: 'Echoed in `args`; `connection=close` closes the connection on HTTP/1.x.',
    content: true,
    responses,
    handle: ({ request, content }) => answer(request, content),
  }),
];
