import { endpoint } from '../server/endpoint.ts';
import { originOf } from '../echo/echo.ts';
import { chainDeclaration, hop } from './redirect.ts';

export const absoluteRedirect = endpoint({
  ...chainDeclaration,
  id: 'absolute_redirect',
  path: '/absolute-redirect/{n}',
  summary: 'The same with whole URLs as Location, below the host that was asked.',
  handle: ({ request, params: { n } }) => hop(n, '/absolute-redirect', originOf(request)),
});
