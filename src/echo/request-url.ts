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
