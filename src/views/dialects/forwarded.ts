import type { Request } from '../../http/exchange.ts';
import { fieldValue } from '../../http/fields.ts';
import { originOf, urlOf } from '../echo.ts';

/** The scheme that the client used, as far as a proxy's fields tell. */
function forwardedScheme({ fields }: Request): string | undefined {
  const named =
    fieldValue(fields, 'x-forwarded-proto') || fieldValue(fields, 'x-forwarded-protocol');
  if (named) return named;
  return fieldValue(fields, 'x-forwarded-ssl') === 'on' ? 'https' : undefined;
}

function withScheme(url: string, request: Request): string {
  const scheme = forwardedScheme(request);
  return scheme === undefined ? url : url.replace(/^[^:]*/, () => scheme);
}

/** The URL of the request as its client saw it, if a proxy's fields are to be believed. */
export function forwardedUrl(request: Request): string {
  return withScheme(urlOf(request), request);
}

/** Scheme and authority of that URL. */
export function forwardedServer(request: Request): string {
  return withScheme(originOf(request), request);
}

/** Whether the client used TLS, if a proxy's fields are to be believed. */
export function isForwardedHttps(request: Request): boolean {
  return forwardedServer(request).startsWith('https:');
}
