import { fieldValue } from '../http/fields.ts';
import { hostPort } from '../http/ip-address.ts';
import { forwardingOf } from '../server/forwarding.ts';
import type { Request } from '../server/request.ts';

/** The request URL. Each part is from fields of a trusted proxy, or else from the request or the connection. */
export function urlOf(request: Request): string {
  const { target } = request;
  if (!target) return '';
  return target.form === 'absolute' ? target.raw : `${originOf(request)}${target.raw}`;
}

/** Scheme and authority of the request URL. */
export function originOf(request: Request): string {
  const { target, fields, connection } = request;
  if (target?.form === 'absolute') return `${target.scheme}://${target.authority}`;
  const forwarding = forwardingOf(request);
  const scheme = forwarding.scheme ?? (connection.tls ? 'https' : 'http');
  const sent = fieldValue(fields, ':authority') ?? fieldValue(fields, 'host');
  const authority = forwarding.authority ?? sent;
  return `${scheme}://${authority || hostPort(connection.localAddress, connection.localPort)}`;
}

/** Fields by which a proxy says that it has passed the request on. */
const OF_PROXIES = ['via', 'forwarded', 'x-forwarded-for', 'x-forwarded-proto', 'x-forwarded-host'];

/**
 * The origin that the client has used; undefined if a proxy has passed the request on, and none that is trusted says what
 * the client has used.
 */
export function clientOriginOf(request: Request): string | undefined {
  const { scheme, authority } = forwardingOf(request);
  const isKnown = scheme !== undefined || authority !== undefined;
  const isForwarded = OF_PROXIES.some((name) => fieldValue(request.fields, name) !== undefined);
  return isForwarded && !isKnown ? undefined : originOf(request);
}
