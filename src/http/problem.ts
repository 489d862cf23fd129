/**
 * All errors that wirebin responds with. The code is the last segment of the problem's `type` (RFC 9457 3.1.1), and
 * stable. `/problems/{code}` shows the cause, and how to avoid it.
 */
export const problems = {
  'invalid-parameter': {
    status: 400,
    title: 'A parameter is not valid',
    cause:
      'A path or query parameter is missing, repeated, of the wrong type or out of range, or the path does not have it: paths that cause faults, and some others such as /tap, refuse unknown parameters, because a mistyped one would test something else. Values are never clamped silently; the detail names the parameter, the value and the limit.',
  },
  'invalid-target': {
    status: 400,
    title: 'The request target is not valid',
    cause:
      'The request target has none of the four forms of RFC 9112 3.2, has a scheme other than http or https, or contains a fragment, which must not be sent.',
  },
  'invalid-host': {
    status: 400,
    title: 'The host is missing, repeated or not valid',
    cause:
      'An HTTP/1.1 request requires exactly one Host field, with a host and an optional port (RFC 9112 3.2). On HTTP/2, :authority and Host must have that form, without userinfo (RFC 9113 8.3.1).',
  },
  'invalid-content': {
    status: 400,
    title: 'The request content is incomplete',
    cause: 'The request body is incomplete, or does not have the format that its fields declare.',
  },
  'invalid-message': {
    status: 400,
    title: 'The message cannot be parsed',
    cause:
      'The message cannot be parsed as HTTP/1.1. The start of the next message is unknown, so the connection is closed.',
  },
  'invalid-handshake': {
    status: 400,
    title: 'The WebSocket handshake is not valid',
    cause:
      'The handshake lacks a Sec-WebSocket-Key that is the base64 of 16 bytes, or has content (RFC 6455 4.1).',
  },
  'transport-off': {
    status: 400,
    title: 'The transport is off',
    cause:
      'The connection uses a transport that --transports leaves out, such as HTTP/1.1 without TLS. The detail names those that are on. The connection is closed.',
  },
  'fault-unavailable': {
    status: 400,
    title: 'The fault is not available for this request',
    cause:
      'The protocol of the connection does not have the fault, as HTTP/1.1 has no streams to reset, or the request lacks what it needs, such as content; the detail says which. The same URL may work on another protocol.',
  },
  unauthorized: {
    status: 401,
    title: 'The credentials are missing or not valid',
    cause:
      'The path requires credentials, and those of the request are missing or wrong. The WWW-Authenticate field names the scheme; the detail says what is wrong. With stale=true in the field, the credentials were valid but the nonce can no longer be used.',
  },
  'cookie-missing': {
    status: 403,
    title: 'The challenge cookie was not sent back',
    cause:
      'The query has require-cookie, and the credentials were sent without any of the cookies that the challenge had set.',
  },
  'redirect-not-allowed': {
    status: 403,
    title: 'The redirect target is not allowed',
    cause:
      'The target of a redirect or of a Refresh field is neither on the requested host nor on a host listed in --allowed-redirect-domains. A public service must not be usable as an open redirect.',
  },
  'cross-origin': {
    status: 403,
    title: 'Web pages of other origins cannot use this path',
    cause:
      'The path shows or changes what others do, so a browser may ask for it only from a page of this service or the address bar. Sec-Fetch-Site says that the page is of another origin, which --allow-origin can list; or a browser on this machine asks for a host name that is not local, as with DNS rebinding, which --allowed-hosts can list. Other clients are not affected.',
  },
  'not-found': {
    status: 404,
    title: 'The path does not exist',
    cause:
      'No endpoint has this path. Paths are compared as sent: percent-encoding, dot segments and double slashes are not normalized. The index at / lists all endpoints.',
  },
  'endpoint-off': {
    status: 404,
    title: 'The endpoint is turned off',
    cause:
      'The endpoint exists but is off until a setting enables it, because it exposes information or uses resources. The detail names the flag; --help also lists the environment variable. Paths listed in --disable are not-found instead.',
  },
  'method-not-allowed': {
    status: 405,
    title: 'The path does not support this method',
    cause:
      'The path exists but does not allow this method. The Allow field lists the allowed methods.',
  },
  'not-acceptable': {
    status: 406,
    title: 'No available representation is acceptable',
    cause:
      'The Accept or Accept-Encoding field of the request excludes every available representation, including the unencoded one. The detail or the Vary field names the field that was used.',
  },
  'request-timeout': {
    status: 408,
    title: 'The request did not arrive in time',
    cause: 'The header section or the body did not arrive in time; the connection is closed.',
  },
  'precondition-failed': {
    status: 412,
    title: 'A precondition failed',
    cause: 'The representation does not match If-Match or If-Unmodified-Since (RFC 9110 13.1).',
  },
  'content-too-large': {
    status: 413,
    title: 'The request content is too large',
    cause:
      'The request body exceeds the limit set by --max-body-size, of /upload and /timing --max-upload-size. The rest of the body is discarded.',
  },
  'target-too-long': {
    status: 414,
    title: 'The request target is too long',
    cause:
      'The request target exceeds the limit set by --max-target-size; an HTTP/1.1 connection is closed.',
  },
  'range-not-satisfiable': {
    status: 416,
    title: 'No requested range can be served',
    cause:
      'No range in the Range field overlaps the representation. The Content-Range field contains its size.',
  },
  'expectation-failed': {
    status: 417,
    title: 'The expectation cannot be met',
    cause: 'The Expect field asks for something other than 100-continue (RFC 9110 10.1.1).',
  },
  'upgrade-required': {
    status: 426,
    title: 'The path needs another protocol',
    cause:
      'The path speaks WebSocket. On HTTP/1.1 that needs GET with Upgrade: websocket, Connection: Upgrade and Sec-WebSocket-Version: 13 (RFC 6455 4.1); on HTTP/2 it needs extended CONNECT (RFC 8441), which --h2-enable-connect-protocol turns on.',
  },
  'fields-too-large': {
    status: 431,
    title: 'The header section is too large',
    cause:
      'The header section exceeds the limit in bytes (--max-header-size) or in fields (--max-fields); an HTTP/1.1 connection is closed.',
  },
  'internal-error': {
    status: 500,
    title: 'Internal error: this is a bug in wirebin',
    cause:
      'A bug in wirebin prevented a response. It has been logged with its cause; please report it.',
  },
  'not-implemented': {
    status: 501,
    title: 'wirebin does not implement this',
    cause:
      'The request needs a feature that wirebin does not implement: a CONNECT tunnel, or a transfer coding other than chunked.',
  },
  overloaded: {
    status: 503,
    title: 'Too many or too large requests are in progress',
    cause:
      'The number of open requests has reached the limit set by --max-open-requests, or the memory for request bodies, header sections and responses of more than 16 KiB has reached the limit set by --max-content-memory. Clients that send or read slowly use up both. Try again.',
  },
  'too-many-readers': {
    status: 503,
    title: 'Too many readers are connected',
    cause: 'The number of concurrent /tap readers is limited. Close one that is not needed.',
  },
  'not-ready': {
    status: 503,
    title: 'The service is not ready',
    cause:
      'POST /control/ready?ready=false has made /readyz fail, for a test of what sends requests here. All other requests are served.',
  },
  draining: {
    status: 503,
    title: 'wirebin is draining',
    cause:
      'wirebin is about to stop, or rehearses that after POST /control/drain. It completes open requests; send new ones elsewhere.',
  },
  'version-not-supported': {
    status: 505,
    title: 'The HTTP version is not supported',
    cause: 'The HTTP version of the request is not HTTP/1.0, HTTP/1.1 or HTTP/2.',
  },
} as const satisfies Record<string, { status: number; title: string; cause: string }>;

export type ProblemCode = keyof typeof problems;

/** An error that becomes a problem response if it is thrown while a request is handled. */
export class Problem extends Error {
  readonly code: ProblemCode;
  /** Fields that the status requires, such as Allow on 405: name, value, name, value… */
  readonly fields: readonly string[];

  /** @param detail what is wrong with this request: the parameter, its value, the limit */
  constructor(code: ProblemCode, detail: string, fields: readonly string[] = []) {
    // No stack is captured: it is never used, and takes three quarters of the time.
    const { stackTraceLimit } = Error;
    Error.stackTraceLimit = 0;
    super(detail);
    Error.stackTraceLimit = stackTraceLimit;
    this.name = 'Problem';
    this.code = code;
    this.fields = fields;
  }

  get status(): number {
    return problems[this.code].status;
  }

  /** The `application/problem+json` document (RFC 9457). */
  toDocument(): string {
    const { status, title } = problems[this.code];
    const type = `/problems/${this.code}`;
    return `${JSON.stringify({ type, title, status, detail: this.message }, null, 2)}\n`;
  }
}

/** The problem invalid-parameter with any detail. */
export function invalid(detail: string): Problem {
  return new Problem('invalid-parameter', detail);
}

/** The problem invalid-parameter with the detail `n=x is not …`. */
export function invalidParameter(name: string, value: string, what: string): Problem {
  return invalid(`${name}=${value} ${what}`);
}
