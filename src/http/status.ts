/** The text beside each status in a status line (RFC 9112 4). */
export type ReasonPhrases = Readonly<Record<number, string | undefined>>;

/**
 * HTTP Status Codes (IANA's http-status-codes-1.csv), as of 2025-09-15, without the remarks "(TEMPORARY …)" of 104
 * (draft-ietf-httpbis-resumable-upload) and "(OBSOLETED)" of 510. IANA has reserved 418, which is from RFC 2324 2.3.2.
 */
export const reasonPhrases: ReasonPhrases = {
  100: 'Continue',
  101: 'Switching Protocols',
  102: 'Processing',
  103: 'Early Hints',
  104: 'Upload Resumption Supported',
  200: 'OK',
  201: 'Created',
  202: 'Accepted',
  203: 'Non-Authoritative Information',
  204: 'No Content',
  205: 'Reset Content',
  206: 'Partial Content',
  207: 'Multi-Status',
  208: 'Already Reported',
  226: 'IM Used',
  300: 'Multiple Choices',
  301: 'Moved Permanently',
  302: 'Found',
  303: 'See Other',
  304: 'Not Modified',
  305: 'Use Proxy',
  307: 'Temporary Redirect',
  308: 'Permanent Redirect',
  400: 'Bad Request',
  401: 'Unauthorized',
  402: 'Payment Required',
  403: 'Forbidden',
  404: 'Not Found',
  405: 'Method Not Allowed',
  406: 'Not Acceptable',
  407: 'Proxy Authentication Required',
  408: 'Request Timeout',
  409: 'Conflict',
  410: 'Gone',
  411: 'Length Required',
  412: 'Precondition Failed',
  413: 'Content Too Large',
  414: 'URI Too Long',
  415: 'Unsupported Media Type',
  416: 'Range Not Satisfiable',
  417: 'Expectation Failed',
  418: "I'm a teapot",
  421: 'Misdirected Request',
  422: 'Unprocessable Content',
  423: 'Locked',
  424: 'Failed Dependency',
  425: 'Too Early',
  426: 'Upgrade Required',
  428: 'Precondition Required',
  429: 'Too Many Requests',
  431: 'Request Header Fields Too Large',
  451: 'Unavailable For Legal Reasons',
  500: 'Internal Server Error',
  501: 'Not Implemented',
  502: 'Bad Gateway',
  503: 'Service Unavailable',
  504: 'Gateway Timeout',
  505: 'HTTP Version Not Supported',
  506: 'Variant Also Negotiates',
  507: 'Insufficient Storage',
  508: 'Loop Detected',
  510: 'Not Extended',
  511: 'Network Authentication Required',
};

/**
 * Whether responses with this status have no content, whatever the method (RFC 9110 6.4.1, 15.3.6).
 *
 * @param status of the final response: content may follow 100 (Continue), for example
 */
export function hasNoContent(status: number): boolean {
  return status === 204 || status === 205 || status === 304;
}

/**
 * Whether responses with this status carry no Content-Length (RFC 9110 8.6). 205 requires it: 0. That of 304 would be
 * the length of a 200 response.
 */
export function hasNoLength(status: number): boolean {
  return hasNoContent(status) && status !== 205;
}
