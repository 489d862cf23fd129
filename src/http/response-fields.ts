import { randomUUID } from 'node:crypto';
import type { Exchange } from './exchange.ts';
import { fieldValue } from './fields.ts';

const VISIBLE_ASCII = /^[\x21-\x7e]{1,128}$/;

/**
 * Adds what every response carries: X-Request-Id, X-Response-Time and, for a request with an
 * Origin, permissive CORS.
 *
 * @param replaced whether `fields` may have some of them already, which then stand
 */
export function addCommonFields(exchange: Exchange, fields: string[], replaced: boolean): void {
  const chosen = replaced ? new Set(fields.map((field) => field.toLowerCase())) : undefined;
  const add = (name: string, value: string): void => {
    if (!chosen?.has(name.toLowerCase())) fields.push(name, value);
  };
  add('X-Request-Id', requestId(fieldValue(exchange.fields, 'x-request-id')));
  const origin = fieldValue(exchange.fields, 'origin');
  if (origin !== undefined) {
    for (const [name, value] of corsFields(exchange, origin)) add(name, value);
  }
  add('X-Response-Time', milliseconds(performance.now() - exchange.receivedAt));
}

/** The request's own identifier where it is 1 to 128 visible ASCII characters, else a UUIDv4. */
export function requestId(own: string | undefined): string {
  return own !== undefined && VISIBLE_ASCII.test(own) ? own : randomUUID();
}

/** A duration as `1.234ms`. */
export function milliseconds(duration: number): string {
  return `${duration.toFixed(3)}ms`;
}

/** Any origin, with credentials, and in a preflight whatever it asks for (Fetch, CORS protocol). */
function* corsFields({ fields, method }: Exchange, origin: string): Generator<[string, string]> {
  yield ['Access-Control-Allow-Origin', origin];
  yield ['Access-Control-Allow-Credentials', 'true'];
  yield ['Vary', 'Origin'];
  if (method !== 'OPTIONS') return;
  const asked = fieldValue(fields, 'access-control-request-method');
  if (asked === undefined) return;
  yield ['Access-Control-Allow-Methods', 'GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS'];
  const wanted = fieldValue(fields, 'access-control-request-headers');
  if (wanted !== undefined) yield ['Access-Control-Allow-Headers', wanted];
  yield ['Access-Control-Max-Age', '3600'];
}
