import { endpoint } from '../server/endpoint.ts';
import { chainDeclaration, hop } from './redirect.ts';

export const relativeRedirect = endpoint({
  ...chainDeclaration,
  path: '/relative-redirect/{n}',
  summary: 'Like /redirect/{n}, always with a relative reference in each Location.',
  handle: ({ params: { n } }) => hop(n, '/relative-redirect'),
});
