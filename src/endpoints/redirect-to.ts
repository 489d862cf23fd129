import { endpoint, type Endpoint } from '../server/endpoint.ts';
import type { Request } from '../server/request.ts';
import { anyText, described, int, optional } from '../server/params.ts';
import { invalidParameter, Problem } from '../http/problem.ts';
import { empty } from '../server/reply.ts';
import { originOf } from '../echo/echo.ts';

/** What no URI may have as it is (RFC 3986 2). */
const NOT_IN_A_URI = /[^\w.~:/?#[\]@!$&'()*+,;=%-]+/gu;

const PATH = /^\/(?!\/)/;
const HTTP = /^https?:\/\//i;

/**
 * Refuses to lead elsewhere than to the host that was asked, by whatever port, and to the listed
 * ones. What is neither a URL nor begins with a slash is refused too: a client may decode
 * `http%3A%2F%2F…` once more.
 *
 * @throws Problem
 */
function checkTarget(location: string, request: Request, allowed: readonly string[]): void {
  if (PATH.test(location)) return;
  const url = location.startsWith('//') ? `http:${location}` : location;
  if (!HTTP.test(url)) throw notAllowed(location, 'is neither an HTTP URL nor begins with a slash');
  if (!URL.canParse(url)) throw invalidParameter('url', location, 'is no URL');
  const { hostname } = new URL(url);
  if (allowed.includes(hostname) || allowed.includes('*') || hostname === ownHost(request)) return;
  throw notAllowed(location, 'leads to a host that --allowed-redirect-domains does not list');
}

const forbidden = {
  description: 'It must not lead there.',
  content: ['application/problem+json'],
};

function notAllowed(location: string, why: string): Problem {
  return new Problem('redirect-not-allowed', `url=${location} ${why}`);
}

/** undefined where the Host field is no host that a URL could have. */
function ownHost(request: Request): string | undefined {
  const origin = originOf(request);
  return URL.canParse(origin) ? new URL(origin).hostname : undefined;
}

/** Hosts beside the one that was asked, `*` for any; or whatever `url` says, of any scheme. */
export type RedirectTargets = readonly string[] | 'anywhere';

export function redirectTo(allowed: RedirectTargets): Endpoint {
  return endpoint({
    id: 'redirect_to',
    methods: 'any',
    path: '/redirect-to',
    group: 'redirects',
    summary:
      allowed === 'anywhere'
        ? 'Redirects to `url`, wherever that is.'
        : 'Redirects to `url`: a path, a URL of the host that was asked, or one of the hosts that ' +
          '--allowed-redirect-domains lists.',
    params: {},
    query: {
      url: anyText('What a URI cannot have is percent-encoded, the rest sent as it is.'),
      status_code: described('The status.', optional(int({ min: 300, max: 399 }), 302)),
    },
    exampleQuery: 'url=/get',
    responses: {
      '3XX': { description: 'The status asked for.', fields: { Location: '`url`' } },
      ...(allowed !== 'anywhere' && { 403: forbidden }),
    },
    handle({ request, query: { url, status_code: status } }) {
      const location = url.replace(NOT_IN_A_URI, encodeURIComponent);
      if (allowed !== 'anywhere') checkTarget(location, request, allowed);
      return empty(status, ['Location', location]);
    },
  });
}
