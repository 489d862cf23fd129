import type { Connection } from '../net/connection.ts';
import type { ResponseStyle } from './dialect.ts';
import type { Exchange } from './exchange.ts';
import { fieldPairs, fieldValue, type FieldLines } from '../http/fields.ts';
import { requestId } from './request-id.ts';

/** What a service chooses for all its responses. */
export interface CommonFields {
  /** Whether to send X-Conn-Id, the connection's, and X-Conn-Request, which of its requests this is. */
  readonly connFields: boolean;
}

/**
 * Adds what every response carries: X-Request-Id, X-Response-Time, the fields of CORS and, where they
 * are wanted, those of the connection.
 *
 * @param replaced whether `fields` may have some of them already, which then stand
 */
export function addCommonFields(
  exchange: Exchange,
  fields: string[],
  replaced: boolean,
  manner: ResponseStyle,
  { connFields }: CommonFields,
): void {
  const mine = replaced ? [] : fields;
  if (connFields) {
    addConnectionField(exchange.connection, mine);
    mine.push('X-Conn-Request', String(exchange.requestNumber));
  }
  mine.push('X-Request-Id', requestId(fieldValue(exchange.fields, 'x-request-id')));
  manner.addCorsFields(exchange, mine);
  mine.push('X-Response-Time', milliseconds(performance.now() - exchange.receivedAt));
  if (!replaced) return;
  const chosen = new Set(Array.from(fieldPairs(fields), ([name]) => name.toLowerCase()));
  for (const [name, value] of fieldPairs(mine)) {
    if (!chosen.has(name.toLowerCase())) fields.push(name, value);
  }
}

/** X-Conn-Id alone is for what never became a request. */
export function addConnectionField({ id }: Connection, fields: string[]): void {
  fields.push('X-Conn-Id', id);
}

const FRACTIONS = Array.from({ length: 1000 }, (_, n) => `.${String(n).padStart(3, '0')}ms`);

/** A duration as `1.234ms`. */
export function milliseconds(duration: number): string {
  const micros = Math.round(duration * 1000);
  return `${Math.trunc(micros / 1000)}${FRACTIONS[micros % 1000] ?? 'ms'}`;
}

/** Bytes of the longest field value that nghttp2 reads, and so most HTTP/2 clients (NGHTTP2_HD_MAX_NV). */
const LONGEST_VALUE = 65_535;

/**
 * The value of a request field that the response is to repeat; undefined without one, and where its
 * lines together are longer than clients could read.
 *
 * @param name in lower case
 */
export function repeatableValue(fields: FieldLines, name: string): string | undefined {
  const value = fieldValue(fields, name);
  return value !== undefined && value.length <= LONGEST_VALUE ? value : undefined;
}

/**
 * For a request with an Origin any origin, with credentials, and in a preflight whatever it asks for
 * (Fetch, CORS protocol).
 */
export function addCorsFields({ fields, method }: Exchange, mine: string[]): void {
  const origin = repeatableValue(fields, 'origin');
  if (origin === undefined) return;
  mine.push('Access-Control-Allow-Origin', origin);
  mine.push('Access-Control-Allow-Credentials', 'true', 'Vary', 'Origin');
  if (method !== 'OPTIONS') return;
  const asked = fieldValue(fields, 'access-control-request-method');
  if (asked === undefined) return;
  mine.push('Access-Control-Allow-Methods', 'GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS');
  const wanted = repeatableValue(fields, 'access-control-request-headers');
  if (wanted !== undefined) mine.push('Access-Control-Allow-Headers', wanted);
  mine.push('Access-Control-Max-Age', '3600');
}
