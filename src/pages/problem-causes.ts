import type { ProblemCode } from '../http/problem.ts';

/** The cause of each problem and how to avoid it: the text of `/problems/{code}`. */
export const problemCauses: Readonly<Record<ProblemCode, string>> = {
  'invalid-parameter':
    'A path or query parameter is missing, repeated, of the wrong type or out of range. Values are never clamped silently; the detail names the parameter, the value and the limit.',
  'invalid-target':
    'The request target has none of the four forms of RFC 9112 3.2, has a scheme other than http or https, or contains a fragment, which must not be sent.',
  'invalid-host':
    'An HTTP/1.1 request requires exactly one Host field, with a host and an optional port (RFC 9112 3.2). On HTTP/2, :authority and Host must have that form, without userinfo (RFC 9113 8.3.1).',
  'invalid-content':
    'The request body is incomplete, or does not have the format that its fields declare.',
  'invalid-message':
    'The message cannot be parsed as HTTP/1.1. The start of the next message is unknown, so the connection is closed.',
  unauthorized:
    'The path requires credentials, and those of the request are missing or wrong. The WWW-Authenticate field names the scheme; the detail says what is wrong. With stale=true in the field, the credentials were valid but the nonce can no longer be used.',
  'cookie-missing':
    'The query has require-cookie, and the credentials were sent without any of the cookies that the challenge had set.',
  'redirect-not-allowed':
    'The target of /redirect-to is neither on the requested host nor on a host listed in --allowed-redirect-domains. A public service must not be usable as an open redirect.',
  'not-found':
    'No endpoint has this path. Paths are compared as sent: percent-encoding, dot segments and double slashes are not normalized. The index at / lists all endpoints.',
  'endpoint-off':
    'The endpoint exists but is off until a setting enables it, because it exposes information or uses resources. The detail names the flag; --help also lists the environment variable. Paths listed in --disable are not-found instead.',
  'method-not-allowed':
    'The path exists but does not allow this method. The Allow field lists the allowed methods.',
  'not-acceptable':
    'The Accept or Accept-Encoding field of the request excludes every available representation, including the unencoded one. The detail or the Vary field names the field that was used.',
  'request-timeout':
    'The header section or the body did not arrive in time; the connection is closed.',
  'precondition-failed':
    'The representation does not match If-Match or If-Unmodified-Since (RFC 9110 13.1).',
  'content-too-large':
    'The request body exceeds the limit set by --max-body-size. The rest of the body is discarded.',
  'target-too-long':
    'The request target exceeds the limit set by --max-target-size; an HTTP/1.1 connection is closed.',
  'range-not-satisfiable':
    'No range in the Range field overlaps the representation. The Content-Range field contains its size.',
  'expectation-failed':
    'The Expect field asks for something other than 100-continue (RFC 9110 10.1.1).',
  'fields-too-large':
    'The header section exceeds the limit in bytes (--max-header-size) or in fields (--max-fields); an HTTP/1.1 connection is closed.',
  'internal-error':
    'A bug in wirebin prevented a response. It has been logged with its cause; please report it.',
  'not-implemented':
    'The request needs a feature that wirebin does not implement: a CONNECT tunnel, a transfer coding other than chunked, or, in HTTP/1.1, a method unknown to Node. HTTP/2 supports any method.',
  overloaded:
    'The number of open requests has reached the limit set by --max-open-requests, or the memory for request bodies of more than 64 KiB and responses of more than 16 KiB has reached the limit set by --max-content-memory. Clients that send or read slowly use up both. Try again.',
  'too-many-readers':
    'The number of concurrent /tap readers is limited. Close one that is not needed.',
  draining: 'wirebin is shutting down. It completes open requests; send new ones elsewhere.',
  'version-not-supported': 'The HTTP version of the request is not HTTP/1.0, HTTP/1.1 or HTTP/2.',
};
