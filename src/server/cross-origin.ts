import { isIP } from 'node:net';
import { fieldValue } from '../http/fields.ts';
import { Problem } from '../http/problem.ts';
import type { Connection } from '../net/connection.ts';
import type { Request } from './request.ts';

/** Which web pages, in addition to wirebin's own, may use endpoints that show or change what other clients do. */
export interface PageAccess {
  /** Origins (RFC 6454) whose pages are allowed; `*` for any. */
  readonly allowOrigin: readonly string[];
  /** Host names that a browser on this machine may request; `*` for any. */
  readonly allowedHosts: readonly string[];
}

const OWN_SITES: ReadonlySet<string> = new Set(['same-origin', 'none']);

/**
 * Refuses a request that a browser makes for a foreign page: of another origin, or with a host name that leads to this
 * machine by DNS rebinding. `same-site` is another origin too: all ports of localhost are the same site. Clients other
 * than browsers are never refused.
 *
 * @throws Problem cross-origin
 */
export function refuseOtherPages(request: Request, access: PageAccess): void {
  const { fields, connection } = request;
  const site = fieldValue(fields, 'sec-fetch-site');
  if (site !== undefined && !OWN_SITES.has(site) && !isAllowedOrigin(request, access)) {
    const origin = fieldValue(fields, 'origin') ?? 'the origin of the page';
    throw new Problem(
      'cross-origin',
      `the request has Sec-Fetch-Site: ${site}; to let a page use this path, set --allow-origin to ${origin}`,
    );
  }
  // Without Sec-Fetch-Site, the request may result from DNS rebinding: over plain HTTP, browsers send that field only
  // to localhost. They always send Accept-Language, which a page can change, but not remove.
  if (site === undefined && fieldValue(fields, 'accept-language') === undefined) return;
  if (!isOnThisMachine(connection)) return;
  const host = hostOf(request);
  if (isLocalName(host) || isListed(access.allowedHosts, host)) return;
  throw new Problem(
    'cross-origin',
    `a browser on this machine asks for the host ${host}, which may be DNS rebinding; to allow it, set --allowed-hosts to ${host}`,
  );
}

/** Whether the page has an origin that --allow-origin lists. */
export function isAllowedOrigin({ fields }: Request, { allowOrigin }: PageAccess): boolean {
  const origin = fieldValue(fields, 'origin');
  return origin !== undefined && isListed(allowOrigin, origin);
}

function isListed(list: readonly string[], value: string): boolean {
  return list.includes(value) || list.includes('*');
}

/** The requested host in lower case, without its port. */
function hostOf({ fields, target }: Request): string {
  const sent = fieldValue(fields, ':authority') ?? fieldValue(fields, 'host') ?? '';
  return (target?.authority ?? sent).replace(/:\d*$/, '').toLowerCase();
}

/** Whether public DNS cannot resolve the host to this machine, because it is not a public domain name. */
function isLocalName(host: string): boolean {
  return !host.includes('.') || host.endsWith('.localhost') || isIP(host) !== 0;
}

/** Whether the client is on this machine. After DNS rebinding, a browser connects from any of its addresses. */
function isOnThisMachine({ remoteAddress, localAddress }: Connection): boolean {
  return (
    remoteAddress === '::1' || remoteAddress.startsWith('127.') || remoteAddress === localAddress
  );
}
