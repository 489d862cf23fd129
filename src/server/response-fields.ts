import { randomFillSync } from 'node:crypto';
import type { WantedDigests } from '../http/integrity-fields.ts';
import type { Connection } from '../net/connection.ts';
import { isAllowedOrigin, type PageAccess } from './cross-origin.ts';
import type { Dialect } from './dialect.ts';
import { hasNoLength } from '../http/status.ts';
import type { Chaos } from './chaos.ts';
import type { Exchange } from './exchange.ts';
import { addPrefix } from './path-prefix.ts';
import { payloadLength, type Payload } from './payload.ts';
import type { Reply } from './reply.ts';
import type { Request } from './request.ts';
import { fieldPairs, fieldValue, type FieldLines } from '../http/fields.ts';
import { withDigests } from './digests.ts';
import { JOURNAL_FIELD } from './observer.ts';

/** Settings for the fields of all responses. */
export interface CommonFields {
  /**
   * Whether to send X-Conn-Id, X-Conn-Request (number of the request on its connection) and, if the service has a name,
   * X-Instance.
   */
  readonly connFields: boolean;
  /** Whether to leave out X-Request-Id and X-Response-Time. */
  readonly lean: boolean;
  /** Path below which all endpoints are; empty for the root. */
  readonly pathPrefix?: string;
}

/** The fields of a reply and of every response. */
export function allResponseFields(
  exchange: Exchange,
  dialect: Dialect,
  reply: Reply,
  payload: Payload,
  common: CommonFields & PageAccess & { readonly chaos?: Chaos | undefined },
): string[] {
  const fields = [...reply.fields];
  const hasLength = !hasNoLength(reply.status) && !reply.upgrade;
  if (hasLength && (dialect.lengthForHead || exchange.method !== 'HEAD')) {
    const length = payloadLength(payload);
    if (length !== undefined) fields.push('Content-Length', String(length));
  }
  // The client has also chosen Location in the query of /redirect-to.
  if (common.pathPrefix && !reply.replacesDefaults && exchange.endpoint?.path !== '/redirect-to')
    addPrefix(fields, common.pathPrefix);
  addCommonFields(exchange, fields, reply.replacesDefaults ?? false, dialect, common);
  const share = common.chaos?.shareOf(exchange);
  if (share) fields.push('X-Chaos', share.text);
  return fields;
}

/** Adds to a reply what the request asks for: digests and Server-Timing. */
export async function withOptionalFields(
  exchange: Exchange,
  reply: Reply,
  wanted: WantedDigests | undefined,
): Promise<Reply> {
  const digested = wanted ? await withDigests(exchange, reply, wanted) : reply;
  return exchange.timing ? exchange.timing.addTo(digested) : digested;
}

/**
 * Adds the fields of every response: X-Request-Id and X-Response-Time unless `lean`; CORS fields unless only pages of
 * its own origin may use the endpoint; fields about the connection with `connFields`.
 *
 * @param replaced true if `fields` may already contain some of them, which then take precedence
 */
function addCommonFields(
  exchange: Exchange,
  fields: string[],
  replaced: boolean,
  dialect: Dialect,
  common: CommonFields & PageAccess,
): void {
  const { connFields, lean } = common;
  const added = replaced ? [] : fields;
  if (connFields) {
    addConnectionFields(exchange.connection, added);
    added.push('X-Conn-Request', String(exchange.requestNumber));
  }
  if (exchange.observer)
    addProcessField(exchange.connection, added, fieldValue(exchange.fields, JOURNAL_FIELD));
  if (!lean) added.push('X-Request-Id', requestId(fieldValue(exchange.fields, 'x-request-id')));
  const isShared = !exchange.endpoint?.ownOriginOnly || isAllowedOrigin(exchange, common);
  if (isShared) dialect.addCorsFields(exchange, added);
  if (!lean) added.push('X-Response-Time', milliseconds(performance.now() - exchange.receivedAt));
  if (!replaced) return;
  const present = new Set(Array.from(fieldPairs(fields), ([name]) => name.toLowerCase()));
  for (const [name, value] of fieldPairs(added)) {
    if (!present.has(name.toLowerCase())) fields.push(name, value);
  }
}

/** Adds X-Conn-Id and X-Instance, also to responses to rejected messages. */
export function addConnectionFields({ id, instance }: Connection, fields: string[]): void {
  fields.push('X-Conn-Id', id);
  if (instance !== undefined) fields.push('X-Instance', instance);
}

/**
 * Adds X-Wirebin-Process, which identifies the service that responded to a journalled request or rejected a message.
 *
 * @param key journal key of the request, which distinguishes its response from others
 */
export function addProcessField({ process }: Connection, fields: string[], key?: string): void {
  if (process === '') return;
  fields.push('X-Wirebin-Process', key === undefined ? process : `${process} ${key}`);
}

const VISIBLE_ASCII = /^[\x21-\x7e]{1,128}$/;

/** The id sent by the client if it consists of 1 to 128 visible ASCII characters, otherwise a new one. */
export function requestId(sent: string | undefined): string {
  return sent !== undefined && VISIBLE_ASCII.test(sent) ? sent : randomUuid();
}

const BATCH = 256;
const BYTES = 16;
const LENGTH = 36;
const DIGITS = Buffer.from('0123456789abcdef', 'latin1');
const HYPHEN = 0x2d;
const random = Buffer.allocUnsafeSlow(BATCH * BYTES);

let batch = '';
let next = 0;

/**
 * A UUIDv4 (RFC 9562 5.4). `crypto.randomUUID` concatenates twenty strings for each. This is faster, because it slices
 * one string made for 256 of them.
 */
export function randomUuid(): string {
  if (next === batch.length) {
    batch = randomUuids();
    next = 0;
  }
  const start = next;
  next += LENGTH;
  return batch.slice(start, next);
}

function randomUuids(): string {
  randomFillSync(random);
  const text = Buffer.allocUnsafe(BATCH * LENGTH);
  for (let n = 0; n < BATCH; n++) writeUuid(text, n);
  return text.toString('latin1');
}

/**
 * Writes the n-th UUID. A separate function, because V8 would optimize one loop of 4,096 steps while it runs, without
 * knowing what follows it, and then discard that code at the end of every batch.
 */
function writeUuid(text: Buffer, n: number): void {
  let end = n * LENGTH;
  for (let position = 0; position < BYTES; position++) {
    if (position === 4 || position === 6 || position === 8 || position === 10) {
      text[end++] = HYPHEN;
    }
    let byte = random[n * BYTES + position] ?? 0;
    if (position === 6) byte = (byte & 0x0f) | 0x40;
    else if (position === 8) byte = (byte & 0x3f) | 0x80;
    text[end++] = DIGITS[byte >> 4] ?? 0;
    text[end++] = DIGITS[byte & 0x0f] ?? 0;
  }
}

const FRACTIONS = Array.from({ length: 1000 }, (_, n) => `.${String(n).padStart(3, '0')}ms`);

/** Formats a duration as `1.234ms`. */
export function milliseconds(duration: number): string {
  const micros = Math.round(duration * 1000);
  return `${Math.trunc(micros / 1000)}${FRACTIONS[micros % 1000] ?? 'ms'}`;
}

/** Maximum bytes of a field value that nghttp2, and so most HTTP/2 clients, accept (NGHTTP2_HD_MAX_NV). */
const MAX_VALUE_SIZE = 65_535;

/**
 * The value of a request field, for use in the response; undefined if it is missing, or its combined lines are longer
 * than clients accept.
 *
 * @param name in lower case
 */
export function repeatableValue(fields: FieldLines, name: string): string | undefined {
  const value = fieldValue(fields, name);
  return value !== undefined && value.length <= MAX_VALUE_SIZE ? value : undefined;
}

/** Adds CORS fields (Fetch): any origin is allowed, with credentials and, after a preflight, requested fields. */
export function addCorsFields({ fields, method }: Request, added: string[]): void {
  const origin = repeatableValue(fields, 'origin');
  if (origin === undefined) return;
  added.push('Access-Control-Allow-Origin', origin);
  added.push('Access-Control-Allow-Credentials', 'true', 'Vary', 'Origin');
  if (method !== 'OPTIONS') return;
  const requestedMethod = fieldValue(fields, 'access-control-request-method');
  if (requestedMethod === undefined) return;
  added.push('Access-Control-Allow-Methods', 'GET, HEAD, QUERY, POST, PUT, PATCH, DELETE, OPTIONS');
  const requestedHeaders = repeatableValue(fields, 'access-control-request-headers');
  if (requestedHeaders !== undefined) added.push('Access-Control-Allow-Headers', requestedHeaders);
  added.push('Access-Control-Max-Age', '3600');
}
