import type { Request } from '../server/request.ts';
import { fieldValue } from '../http/fields.ts';
import { originOf, urlOf } from '../echo/request-url.ts';

/** The client's scheme, as claimed by X-Forwarded-Proto, X-Forwarded-Protocol or X-Forwarded-Ssl. */
function forwardedScheme({ fields }: Request): string | undefined {
  const scheme =
    fieldValue(fields, 'x-forwarded-proto') || fieldValue(fields, 'x-forwarded-protocol');
  if (scheme) return scheme;
  return fieldValue(fields, 'x-forwarded-ssl') === 'on' ? 'https' : undefined;
}

function withScheme(url: string, scheme: string | undefined): string {
  return scheme === undefined ? url : url.replace(/^[^:]*/, () => scheme);
}

/** The request's URL, with the scheme that fields of a proxy claim. */
export function forwardedUrl(request: Request): string {
  return withScheme(urlOf(request), forwardedScheme(request));
}

/** Scheme and authority for redirects. A claimed scheme is used only if it is http or https. */
export function forwardedOrigin(request: Request): string {
  const scheme = forwardedScheme(request)?.toLowerCase();
  const isHttp = scheme === 'http' || scheme === 'https';
  return withScheme(originOf(request), isHttp ? scheme : undefined);
}

/** Whether the client used TLS, or fields of a proxy claim so. */
export function isForwardedHttps(request: Request): boolean {
  return forwardedOrigin(request).startsWith('https:');
}
