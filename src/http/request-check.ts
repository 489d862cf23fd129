import { Problem } from '../kit/problem.ts';
import type { Request } from './exchange.ts';
import { fieldCount, fieldValue, type FieldLines } from './fields.ts';
import { isAuthority } from './target.ts';

/**
 * What is wrong with a message that its parser let pass, by RFC 9110 and 9112; undefined when
 * nothing is. Behind some of these nobody can say where the next message starts, which is why
 * dispatch closes an HTTP/1.1 connection after any of them.
 */
export function faultOf(request: Request): Problem | undefined {
  const { version, target, method, fields, connection } = request;
  const { protocol } = connection;
  const known =
    protocol === 'h2' || protocol === 'h2c' || version === 'HTTP/1.1' || version === 'HTTP/1.0';
  if (!known) {
    return new Problem('version-not-supported', `${version} is not HTTP/1.0, HTTP/1.1 or HTTP/2`);
  }
  if (!target) {
    return new Problem('invalid-target', `${request.rawTarget} is no target of ${method}`);
  }
  if (version !== 'HTTP/2.0') {
    const coding = fieldValue(fields, 'transfer-encoding');
    if (coding !== undefined && coding.toLowerCase() !== 'chunked') {
      return new Problem('not-implemented', `the transfer coding ${coding} is not chunked alone`);
    }
    const fault = hostFault(fields, version);
    if (fault !== undefined) return new Problem('invalid-host', fault);
  }
  const expectation = fieldValue(fields, 'expect');
  if (expectation !== undefined && expectation.toLowerCase() !== '100-continue') {
    return new Problem('expectation-failed', `${expectation} is not 100-continue`);
  }
  if (method === 'CONNECT') {
    return new Problem('not-implemented', 'wirebin opens no tunnels');
  }
  return undefined;
}

/** The last Host that was found valid: on a connection it hardly ever changes. */
let valid: string | undefined;

/** RFC 9112 3.2: exactly one Host in HTTP/1.1, at most one before it. */
function hostFault(fields: FieldLines, version: string): string | undefined {
  const host = fieldValue(fields, 'host');
  if (host === undefined) return version === 'HTTP/1.1' ? 'there is no Host field' : undefined;
  if (host === valid) return undefined;
  if (fieldCount(fields, 'host') > 1) return 'there is more than one Host field';
  // An empty Host is for targets without an authority (RFC 9112 3.2), which http: does not have.
  if (!isAuthority(host)) return `Host: ${host} is not a host with an optional port`;
  valid = host;
  return undefined;
}
