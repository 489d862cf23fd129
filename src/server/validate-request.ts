import { Problem } from '../http/problem.ts';
import { allowed } from './allow.ts';
import type { Endpoint } from './endpoint.ts';
import type { Request } from './request.ts';
import { fieldCount, fieldValue, textLength, type FieldLines } from '../http/fields.ts';
import { listMembers } from '../http/syntax.ts';
import { isAuthority } from '../http/target.ts';

/**
 * A problem with the message itself. The start of the next one may be unknown, so dispatch closes an HTTP/1.x
 * connection.
 */
export class InvalidRequest extends Problem {}

/** Checks rules of RFC 9110 and 9112 that the protocol adapters do not enforce; undefined if the request is valid. */
export function validateRequest(request: Request): InvalidRequest | undefined {
  const { version, target, method, fields } = request;
  if (!target) {
    return new InvalidRequest(
      'invalid-target',
      `${request.rawTarget} is not a valid target for ${method}`,
    );
  }
  const detail = hostError(fields, version);
  if (detail !== undefined) return new InvalidRequest('invalid-host', detail);
  const expectation = fieldValue(fields, 'expect');
  if (
    expectation !== undefined &&
    listMembers(expectation.toLowerCase()).some((it) => it !== '100-continue')
  ) {
    return new InvalidRequest('expectation-failed', `${expectation} is not 100-continue`);
  }
  if (method === 'CONNECT' && connectProtocol(request) === undefined) {
    return new InvalidRequest('not-implemented', 'wirebin does not support CONNECT');
  }
  return undefined;
}

/** The protocol of extended CONNECT (RFC 8441 4); undefined for other requests. */
export function connectProtocol({ method, version, fields }: Request): string | undefined {
  return method === 'CONNECT' && version === 'HTTP/2.0'
    ? fieldValue(fields, ':protocol')
    : undefined;
}

/** The last valid host, cached because it hardly ever changes on a connection. */
let lastValidHost: string | undefined;

/** Whether a host is valid. An empty host is not, because `http` URIs have an authority (RFC 9112 3.2). */
function isHost(text: string): boolean {
  if (text === lastValidHost) return true;
  if (!isAuthority(text)) return false;
  lastValidHost = text;
  return true;
}

/**
 * The error of Host fields (RFC 9112 3.2): HTTP/1.1 requires exactly one, HTTP/1.0 at most one. On HTTP/2, `:authority`
 * replaces Host, which may also be present (RFC 9113 8.3.1).
 */
function hostError(fields: FieldLines, version: string): string | undefined {
  if (version === 'HTTP/2.0') {
    const authority = fieldValue(fields, ':authority');
    if (authority !== undefined && !isHost(authority)) return invalidHost(':authority', authority);
  }
  const host = fieldValue(fields, 'host');
  if (host === undefined) return version === 'HTTP/1.1' ? 'there is no Host field' : undefined;
  if (host !== lastValidHost && fieldCount(fields, 'host') > 1)
    return 'there is more than one Host field';
  return isHost(host) ? undefined : invalidHost('Host', host);
}

function invalidHost(name: string, value: string): string {
  return `${name}: ${value} is not a host with an optional port`;
}

export interface SizeLimits {
  /** Maximum bytes of a request target. */
  readonly maxTargetSize: number;
  /** Maximum bytes of all field names and values on HTTP/2, and of the whole head on HTTP/1.x. */
  readonly maxHeaderSize: number;
  /** Maximum number of field lines, including HTTP/2 pseudo-header fields. */
  readonly maxFields: number;
}

/** Checks limits that the adapters do not enforce (RFC 9110 15.5.15, RFC 6585 5); undefined if none is exceeded. */
export function validateRequestSize(
  { version, rawTarget, fields }: Request,
  { maxTargetSize, maxHeaderSize, maxFields }: SizeLimits,
): InvalidRequest | undefined {
  if (rawTarget.length > maxTargetSize) {
    const sizes = `${rawTarget.length} bytes, which exceeds the maximum of ${maxTargetSize}`;
    return new InvalidRequest('target-too-long', `the target has ${sizes}`);
  }
  const count = fields.length / 2;
  if (count > maxFields) {
    const counts = `${count} fields, which exceeds the maximum of ${maxFields}`;
    return new InvalidRequest('fields-too-large', `the header section has ${counts}`);
  }
  // HTTP/1.x is not checked, because its reader enforces the limit.
  if (version === 'HTTP/2.0' && textLength(fields) > maxHeaderSize) {
    const limit = `the maximum of ${maxHeaderSize} bytes`;
    return new InvalidRequest('fields-too-large', `the header section exceeds ${limit}`);
  }
  return undefined;
}

/** Checks that the endpoint supports the method. @throws Problem method-not-allowed */
export function checkMethod(endpoint: Endpoint, request: Request): void {
  const { methods, upgrade } = endpoint;
  const { method } = request;
  if (method === 'CONNECT') {
    if (upgrade !== undefined && upgrade === connectProtocol(request)) return;
    throw new Problem('not-implemented', `${endpoint.path} does not support CONNECT`);
  }
  if (methods === 'any') return;
  // HEAD is handled like GET, because its response needs the same fields (RFC 9110 8.6).
  const wanted = method === 'HEAD' ? 'GET' : method;
  if (methods.some((candidate) => candidate === wanted)) return;
  throw new Problem('method-not-allowed', `${endpoint.path} does not support ${wanted}`, [
    'Allow',
    allowed(methods),
  ]);
}
