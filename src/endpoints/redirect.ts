import { endpoint } from '../server/endpoint.ts';
import { described, flag, int } from '../server/params.ts';
import { TEXT_TYPE, redirect as redirectTo, text, type Reply } from '../server/reply.ts';
import { originOf } from '../echo/request-url.ts';

const countField = { 'X-Redirect-Count': 'n' };

/** Common part of the declarations of all redirect chains. */
export const chainDeclaration = {
  methods: 'any',
  group: 'redirects',
  params: { n: described('Number of redirects left.', int({ min: 0, max: 20 })) },
  responses: {
    200: { description: 'n is 0.', content: [TEXT_TYPE], fields: countField },
    302: {
      description: 'n is 1 or more.',
      fields: { Location: 'The path with n - 1; `/get` if n is 1.', ...countField },
    },
  },
} as const;

/**
 * A response within a chain of redirects.
 *
 * @param n number of redirects left, including this one; 0 ends the chain
 * @param next path of the next hop, without n
 * @param origin scheme and authority of an absolute Location
 */
export function hop(n: number, next: string, origin = ''): Reply {
  const fields = ['X-Redirect-Count', String(n)];
  if (n === 0) return text('Redirect complete', { fields });
  return redirectTo(`${origin}${n === 1 ? '/get' : `${next}/${n - 1}`}`, fields);
}

export const redirect = endpoint({
  ...chainDeclaration,
  path: '/redirect/{n}',
  summary:
    'A chain of n redirects, the last one to /get; 0 responds with 200. With `absolute` each ' +
    'Location is an absolute URL.',
  query: { absolute: described('Whether each Location is an absolute URL.', flag) },
  handle: ({ request, params: { n }, query: { absolute } }) =>
    absolute ? hop(n, '/absolute-redirect', originOf(request)) : hop(n, '/redirect'),
});
