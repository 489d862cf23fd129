/**
 * All errors that wirebin responds with. The code is the last segment of the problem's `type`
 * (RFC 9457 3.1.1) and stable. A test compares this list with the documentation.
 */
export const problems = {
  'invalid-parameter': { status: 400, title: 'A parameter is not valid' },
  'invalid-target': { status: 400, title: 'The request target is not valid' },
  'invalid-host': { status: 400, title: 'The host is missing, repeated or not valid' },
  'invalid-content': { status: 400, title: 'The request content is incomplete' },
  'invalid-message': { status: 400, title: 'The message cannot be parsed' },
  unauthorized: { status: 401, title: 'The credentials are missing or not valid' },
  'cookie-missing': { status: 403, title: 'The challenge cookie was not sent back' },
  'redirect-not-allowed': { status: 403, title: 'The redirect target is not allowed' },
  'not-found': { status: 404, title: 'The path does not exist' },
  'endpoint-off': { status: 404, title: 'The endpoint is turned off' },
  'method-not-allowed': { status: 405, title: 'The path does not support this method' },
  'not-acceptable': { status: 406, title: 'No available representation is acceptable' },
  'request-timeout': { status: 408, title: 'The request did not arrive in time' },
  'precondition-failed': { status: 412, title: 'A precondition failed' },
  'content-too-large': { status: 413, title: 'The request content is too large' },
  'target-too-long': { status: 414, title: 'The request target is too long' },
  'range-not-satisfiable': { status: 416, title: 'No requested range can be served' },
  'expectation-failed': { status: 417, title: 'The expectation cannot be met' },
  'fields-too-large': { status: 431, title: 'The header section is too large' },
  'internal-error': { status: 500, title: 'Internal error: this is a bug in wirebin' },
  'not-implemented': { status: 501, title: 'wirebin does not implement this' },
  overloaded: { status: 503, title: 'Too many or too large requests are in progress' },
  'too-many-readers': { status: 503, title: 'Too many readers are connected' },
  draining: { status: 503, title: 'wirebin is shutting down' },
  'version-not-supported': { status: 505, title: 'The HTTP version is not supported' },
} as const satisfies Record<string, { status: number; title: string }>;

export type ProblemCode = keyof typeof problems;

/** An error that becomes a problem response when thrown while a request is handled. */
export class Problem extends Error {
  readonly code: ProblemCode;
  /** Fields the status requires, such as Allow on 405: name, value, name, value… */
  readonly fields: readonly string[];

  /** @param detail what is wrong with this request: the parameter, its value, the limit */
  constructor(code: ProblemCode, detail: string, fields: readonly string[] = []) {
    // The stack is never used, and capturing it would take three quarters of the time.
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

/** An invalid-parameter problem with the detail `n=x is not …`. */
export function invalidParameter(name: string, value: string, what: string): Problem {
  return new Problem('invalid-parameter', `${name}=${value} ${what}`);
}
