import { redirectTo, type RedirectTargets } from '../../endpoints/redirect-to.ts';
import type { Endpoint } from '../../http/endpoint.ts';
import { text } from '../../http/reply.ts';
import { recovering } from '../manner.ts';

export function guardedRedirect(allowed: RedirectTargets): Endpoint {
  if (allowed === 'anywhere') return redirectTo(allowed);
  const list = allowed.map((host) => `- ${host}`).toSorted();
  const warning = [
    'Forbidden redirect URL. Please be careful with this link.',
    '',
    'Allowed redirect destinations:',
    ...list,
  ].join('\n');
  return recovering(redirectTo(allowed), ({ code, status }) =>
    code === 'redirect-not-allowed' ? text(warning, { status }) : undefined,
  );
}
