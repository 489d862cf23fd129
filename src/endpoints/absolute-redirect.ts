import { endpoint } from '../server/endpoint.ts';
import { originOf } from '../echo/request-url.ts';
import { chainDeclaration, hop } from './redirect.ts';

export const absoluteRedirect = endpoint({
  ...chainDeclaration,
  path: '/absolute-redirect/{n}',
  summary: 'Like /redirect/{n}, with an absolute URL on the requested host in each Location.',
  handle: ({ request, params: { n } }) => hop(n, '/absolute-redirect', originOf(request)),
});
