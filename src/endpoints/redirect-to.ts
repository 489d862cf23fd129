import { endpoint, problemResponse, type Endpoint } from '../server/endpoint.ts';
import type { Request } from '../server/request.ts';
import { described, int, optional, required } from '../server/params.ts';
import { invalidParameter, Problem } from '../http/problem.ts';
import { empty } from '../server/reply.ts';
import { textLike } from '../server/schema.ts';
import type { QueryPairs } from '../http/query.ts';
import { originOf } from '../echo/request-url.ts';

/** Characters that must be percent-encoded in a URI (RFC 3986 2). */
const NOT_IN_A_URI = /[^\w.~:/?#[\]@!$&'()*+,;=%-]+/gu;

const PATH = /^\/(?!\/)/;
const HTTP = /^https?:\/\//i;

/**
 * Checks the target of a redirect: allowed are the requested host on any port, and the listed hosts. Relative
 * references must begin with a slash, because a client may decode `http%3A%2F%2F…` once more.
 *
 * @throws Problem
 */
export function checkTarget(location: string, request: Request, allowed: RedirectTargets): void {
  if (allowed === 'anywhere') return;
  if (location.search(NOT_IN_A_URI) >= 0)
    throw notAllowed(location, 'has characters that a URI has not');
  if (PATH.test(location)) return;
  const url = location.startsWith('//') ? `http:${location}` : location;
  if (!HTTP.test(url)) throw notAllowed(location, 'is neither an HTTP URL nor an absolute path');
  if (!URL.canParse(url)) throw invalidParameter('url', location, 'is not a URL');
  const { hostname } = new URL(url);
  if (allowed.includes(hostname) || allowed.includes('*') || hostname === ownHost(request)) return;
  throw notAllowed(location, 'has a host that --allowed-redirect-domains does not list');
}

/**
 * Checks where each Refresh leads, which browsers follow as they follow a redirect (HTML, shared declarative refresh steps).
 * More is taken for the target than browsers take, so that no other reading of the value leads elsewhere.
 *
 * @throws Problem as `checkTarget`
 */
export function checkRefresh(fields: QueryPairs, request: Request, allowed: RedirectTargets): void {
  for (const [name, value] of fields) {
    if (name.toLowerCase() !== 'refresh') continue;
    const target = value
      .replace(/^[\d.\s;,]+/, '')
      .replace(/^url\s*=\s*/i, '')
      .replace(/^(["'])(.*)\1$/, '$2');
    // Without a target, the page itself is loaded again.
    if (target !== '') checkTarget(target, request, allowed);
  }
}

/** Response of an endpoint that refuses a target. */
export const forbiddenTarget = problemResponse('Redirects to that host are not allowed.');

function notAllowed(location: string, why: string): Problem {
  return new Problem('redirect-not-allowed', `url=${location} ${why}`);
}

/** The host of the Host field; undefined if it is not valid in a URL. */
function ownHost(request: Request): string | undefined {
  const origin = originOf(request);
  return URL.canParse(origin) ? new URL(origin).hostname : undefined;
}

/** Hosts allowed in addition to the requested one; `*` allows any host, `anywhere` any URI. */
export type RedirectTargets = readonly string[] | 'anywhere';

export function redirectTo(allowed: RedirectTargets): Endpoint {
  return endpoint({
    methods: 'any',
    path: '/redirect-to',
    group: 'redirects',
    summary:
      allowed === 'anywhere'
        ? 'Redirects to `url`, without restrictions.'
        : 'Redirects to `url`: a path, or a URL with the requested host or one of those in ' +
          '--allowed-redirect-domains.',
    query: {
      url: described(
        'The Location. Characters not allowed in a URI are percent-encoded.',
        required(textLike('/get'), (text) => text),
      ),
      status_code: described('Status code.', optional(int({ min: 300, max: 399 }), 302)),
    },
    exampleQuery: 'url=/get',
    responses: {
      '3XX': { description: 'The status in `status_code`.', fields: { Location: '`url`' } },
      ...(allowed !== 'anywhere' && { 403: forbiddenTarget }),
    },
    handle({ request, query: { url, status_code: status } }) {
      const location = url.replace(NOT_IN_A_URI, encodeURIComponent);
      checkTarget(location, request, allowed);
      return empty(status, ['Location', location]);
    },
  });
}
