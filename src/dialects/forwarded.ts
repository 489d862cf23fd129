import type { Request } from '../server/request.ts';
import { fieldValue } from '../http/fields.ts';
import { originOf, urlOf } from '../echo/echo.ts';

/** The scheme that the client used, as far as a proxy's fields tell. */
function forwardedScheme({ fields }: Request): string | undefined {
  const named =
    fieldValue(fields, 'x-forwarded-proto') || fieldValue(fields, 'x-forwarded-protocol');
  if (named) return named;
  return fieldValue(fields, 'x-forwarded-ssl') === 'on' ? 'https' : undefined;
}

function withScheme(url: string, scheme: string | undefined): string {
  return scheme === undefined ? url : url.replace(/^[^:]*/, () => scheme);
}

/** The URL of the request as its client saw it, if a proxy's fields are to be believed. */
export function forwardedUrl(request: Request): string {
  return withScheme(urlOf(request), forwardedScheme(request));
}

/** Scheme and authority to lead a client to: those of that URL, where it is one of HTTP's. */
export function forwardedServer(request: Request): string {
  const scheme = forwardedScheme(request)?.toLowerCase();
  const isHttp = scheme === 'http' || scheme === 'https';
  return withScheme(originOf(request), isHttp ? scheme : undefined);
}

/** Whether the client used TLS, if a proxy's fields are to be believed. */
export function isForwardedHttps(request: Request): boolean {
  return forwardedServer(request).startsWith('https:');
}
