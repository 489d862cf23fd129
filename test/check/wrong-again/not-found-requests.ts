/** Wrong gateways that no check finds, by their names. */
export const notFound: readonly string[] = [
  // A near value where the rule names the only one that is allowed.
  'a first line with whitespace belongs to the target',
  'an unknown version is forwarded as HTTP/1.0',
  // Right for a gateway that has received the message from another, which adds no Via.
  'Via has the version of the gateway in place of the received one',
  'the element of the client gets a parameter',
  'Forwarded keeps proto of the client',
  'the scheme is sent before that of the client',
  'X-Forwarded-Host is joined to that of the client',
  'X-Real-IP is that of the client with its port',
  'the authority of a target replaces Host without its port',
  'the URL of a target is forwarded in place of its path',
  // The fault is hidden from the client, or the check does not look there.
  // RFC 9110 9.3.6: whether a gateway has tried to connect is not seen by its client.
  'a tunnel to any host is tried, and 502 the answer',
  'TRACE is forwarded, and its response loses its content',
  'two lengths are refused, and content is the next request',
  'Expect from HTTP/1.0 is forwarded',
  // Refused without the status that the rule names.
  'whitespace before the colon is refused by 500',
  'whitespace before the colon is refused by 431',
  'an unknown version is refused by 503',
  'a missing Host is refused by 421',
  'a repeated Host is refused by 403',
  'a connection ends without a response at whitespace before the colon',
  'a connection ends without a response at a missing Host',
  'a connection ends without a response at a malformed Host',
  // Found as a choice only, or as an error.
  // Reported as `differs`.
  'a request with Expect from HTTP/1.0 is refused by 417',
  // RFC 9110 10.1.1 lets a server refuse an expectation with 417; reported as `differs`.
  'the gateway itself refuses 100-continue',
];
