import { endpoint } from '../server/endpoint.ts';
import { described, flag, int } from '../server/params.ts';
import { redirect as redirectTo, text, type Reply } from '../server/reply.ts';
import { originOf } from '../echo/echo.ts';

const countField = { 'X-Redirect-Count': 'n' };

/** What the declarations of all chains have in common. */
export const chainDeclaration = {
  methods: 'any',
  group: 'redirects',
  params: { n: described('How many redirects are left.', int({ min: 0, max: 20 })) },
  responses: {
    200: { description: 'n is 0.', content: ['text/plain; charset=utf-8'], fields: countField },
    302: {
      description: 'n is 1 or more.',
      fields: { Location: 'Where n is one less, and `/get` for 1.', ...countField },
    },
  },
} as const;

/**
 * One hop of a chain of redirects.
 *
 * @param n how many are left, this one included; 0 is the end
 * @param next the path of the chain that leads on
 * @param origin makes the locations absolute
 */
export function hop(n: number, next: string, origin = ''): Reply {
  const fields = ['X-Redirect-Count', String(n)];
  if (n === 0) return text('Redirect complete', { fields });
  return redirectTo(`${origin}${n === 1 ? '/get' : `${next}/${n - 1}`}`, fields);
}

export const redirect = endpoint({
  ...chainDeclaration,
  id: 'redirect',
  path: '/redirect/{n}',
  summary:
    'n redirects to follow, the last of them to /get; 0 is the end of a chain. With `absolute` ' +
    'each Location is a whole URL.',
  query: { absolute: described('Whether each Location is a whole URL.', flag) },
  handle: ({ request, params: { n }, query: { absolute } }) =>
    absolute ? hop(n, '/absolute-redirect', originOf(request)) : hop(n, '/redirect'),
});
