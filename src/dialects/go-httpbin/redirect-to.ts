import { redirectTo, type RedirectTargets } from '../../endpoints/redirect-to.ts';
import type { Endpoint } from '../../server/endpoint.ts';
import { text } from '../../server/reply.ts';
import { withErrors } from '../response-style.ts';

/** /redirect-to with go-httpbin's warning for hosts that are not allowed. */
export function restrictedRedirect(allowed: RedirectTargets): Endpoint {
  if (allowed === 'anywhere') return redirectTo(allowed);
  const list = allowed.map((host) => `- ${host}`).toSorted();
  const warning = [
    'Forbidden redirect URL. Please be careful with this link.',
    '',
    'Allowed redirect destinations:',
    ...list,
  ].join('\n');
  return withErrors(redirectTo(allowed), ({ code, status }) =>
    code === 'redirect-not-allowed' ? text(warning, { status }) : undefined,
  );
}
