import { Problem } from '../http/problem.ts';
import type { Request } from './request.ts';
import { fieldCount, fieldValue, type FieldLines } from '../http/fields.ts';
import { listMembers } from '../http/media-type.ts';
import { isAuthority } from '../http/target.ts';

/**
 * What is wrong with a message that its parser let pass, by RFC 9110 and 9112; undefined when
 * nothing is. Behind some of these nobody can say where the next message starts, which is why
 * dispatch closes an HTTP/1.1 connection after any of them.
 */
export function validateRequest(request: Request): Problem | undefined {
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
    const codingFault = coding === undefined ? undefined : faultOfCoding(coding, version);
    if (codingFault) return codingFault;
  }
  const fault = hostFault(fields, version);
  if (fault !== undefined) return new Problem('invalid-host', fault);
  const expectation = fieldValue(fields, 'expect');
  if (expectation !== undefined && !elements(expectation).every(isContinue)) {
    return new Problem('expectation-failed', `${expectation} is not 100-continue`);
  }
  if (method === 'CONNECT') {
    return new Problem('not-implemented', 'wirebin opens no tunnels');
  }
  return undefined;
}

/** Where the content ends: RFC 9112 6.1 for HTTP/1.0 and unknown codings, 6.3 for the last one. */
function faultOfCoding(value: string, version: string): Problem | undefined {
  if (version === 'HTTP/1.0') {
    return new Problem('invalid-message', 'HTTP/1.0 has no Transfer-Encoding');
  }
  const codings = elements(value);
  if (codings.at(-1) !== 'chunked') {
    return new Problem('invalid-message', `the last transfer coding of '${value}' is not chunked`);
  }
  if (codings.length === 1) return undefined;
  return new Problem('not-implemented', `the transfer coding ${value} is not chunked alone`);
}

function isContinue(expectation: string): boolean {
  return expectation === '100-continue';
}

/** The elements of a list of tokens in lower case, empty ones left out (RFC 9110 5.6.1.2). */
function elements(list: string): string[] {
  const members = listMembers(list).map((member) => member.trim().toLowerCase());
  return members.filter((member) => member !== '');
}

/** The last host that was found valid: on a connection it hardly ever changes. */
let valid: string | undefined;

/** An empty one is for targets without an authority (RFC 9112 3.2), which http: does not have. */
function isHost(text: string): boolean {
  if (text === valid) return true;
  if (!isAuthority(text)) return false;
  valid = text;
  return true;
}

/**
 * RFC 9112 3.2: exactly one Host in HTTP/1.1, at most one before it. On HTTP/2 `:authority` stands for
 * it, and Host may stand beside it (RFC 9113 8.3.1).
 */
function hostFault(fields: FieldLines, version: string): string | undefined {
  if (version === 'HTTP/2.0') {
    const authority = fieldValue(fields, ':authority');
    if (authority !== undefined && !isHost(authority)) return faultOfHost(':authority', authority);
  }
  const host = fieldValue(fields, 'host');
  if (host === undefined) return version === 'HTTP/1.1' ? 'there is no Host field' : undefined;
  if (host !== valid && fieldCount(fields, 'host') > 1) return 'there is more than one Host field';
  return isHost(host) ? undefined : faultOfHost('Host', host);
}

function faultOfHost(name: string, value: string): string {
  return `${name}: ${value} is not a host with an optional port`;
}
