import type { Request } from '../../http/exchange.ts';
import { fieldValue, type FieldLines } from '../../http/fields.ts';
import { urlOf } from '../echo.ts';

/** The scheme that the client used, as far as a proxy's fields tell. */
function forwardedScheme(fields: FieldLines): string | undefined {
  const named =
    fieldValue(fields, 'x-forwarded-proto') || fieldValue(fields, 'x-forwarded-protocol');
  if (named) return named;
  return fieldValue(fields, 'x-forwarded-ssl') === 'on' ? 'https' : undefined;
}

/** The URL of the request as its client saw it, if a proxy's fields are to be believed. */
export function forwardedUrl(request: Request): string {
  const scheme = forwardedScheme(request.fields);
  const url = urlOf(request);
  return scheme === undefined ? url : url.replace(/^[^:]*/, () => scheme);
}
