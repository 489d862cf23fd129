import { override, queryOf, type Override } from '../server/endpoint.ts';
import type { Request } from '../server/request.ts';
import { described, int } from '../server/params.ts';
import { redirect, type Reply } from '../server/reply.ts';
import { forwardedOrigin } from './forwarded.ts';

const shared = {
  // A low maximum is not needed, because each hop is one small response.
  params: { n: described('Number of redirects left.', int({ min: 1, max: 2 ** 31 - 1 })) },
  responses: {
    302: { description: 'The next redirect.', fields: { Location: 'The last one is /get.' } },
  },
};

function hop(n: number, kind: 'relative' | 'absolute', request: Request): Reply {
  const path = n === 1 ? '/get' : `/${kind}-redirect/${n - 1}`;
  return redirect(kind === 'absolute' ? `${forwardedOrigin(request)}${path}` : path);
}

function wantsAbsolute(request: Request): boolean {
  const [, value = ''] = queryOf(request).find(([name]) => name === 'absolute') ?? [];
  return value.toLowerCase() === 'true';
}

/** The redirect chains of httpbin and go-httpbin. */
export const redirects: readonly Override[] = [
  override('/redirect/{n}', {
    ...shared,
    summary: 'A chain of n redirects, with absolute URLs if `absolute=true`.',
    additionalQuery: '`absolute=true`, in any case; any other value means false.',
    handle: ({ request, params: { n } }) =>
      hop(n, wantsAbsolute(request) ? 'absolute' : 'relative', request),
  }),
  override('/relative-redirect/{n}', {
    ...shared,
    summary: 'A chain of n redirects.',
    handle: ({ request, params: { n } }) => hop(n, 'relative', request),
  }),
  override('/absolute-redirect/{n}', {
    ...shared,
    summary: 'A chain of n redirects with absolute URLs.',
    handle: ({ request, params: { n } }) => hop(n, 'absolute', request),
  }),
];
