import { endpoint, queryOf, type Endpoint } from '../server/endpoint.ts';
import type { Request } from '../server/request.ts';
import { described, int } from '../server/params.ts';
import { redirect, type Reply } from '../server/reply.ts';
import { forwardedServer } from './forwarded.ts';

const shared = {
  methods: 'any',
  group: 'redirects',
  // Each hop is one answer, and it is the client that counts them.
  params: { n: described('How many redirects are left.', int({ min: 1, max: 2 ** 31 - 1 })) },
  responses: {
    302: { description: 'To the next one.', fields: { Location: 'The last is /get.' } },
  },
} as const;

function hop(n: number, kind: 'relative' | 'absolute', request: Request): Reply {
  const path = n === 1 ? '/get' : `/${kind}-redirect/${n - 1}`;
  return redirect(kind === 'absolute' ? `${forwardedServer(request)}${path}` : path);
}

function wantsAbsolute(request: Request): boolean {
  const [, value = ''] = queryOf(request).find(([name]) => name === 'absolute') ?? [];
  return value.toLowerCase() === 'true';
}

/** Chains of redirects as httpbin and go-httpbin have them. */
export const redirects: readonly Endpoint[] = [
  endpoint({
    ...shared,
    id: 'redirect',
    path: '/redirect/{n}',
    summary: 'n redirects to follow, by whole URLs with `absolute=true`.',
    additionalQuery: '`absolute=true`, in any case; anything else is no.',
    handle: ({ request, params: { n } }) =>
      hop(n, wantsAbsolute(request) ? 'absolute' : 'relative', request),
  }),
  endpoint({
    ...shared,
    id: 'relative_redirect',
    path: '/relative-redirect/{n}',
    summary: 'n redirects to follow.',
    handle: ({ request, params: { n } }) => hop(n, 'relative', request),
  }),
  endpoint({
    ...shared,
    id: 'absolute_redirect',
    path: '/absolute-redirect/{n}',
    summary: 'n redirects to follow, by whole URLs.',
    handle: ({ request, params: { n } }) => hop(n, 'absolute', request),
  }),
];
