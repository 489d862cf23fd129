/** Names of gateways that no check finds. */
export const notFound: readonly string[] = [
  // RFC 9112 5.1 has the whitespace removed. The check says that the line is dropped, as Caddy and lighttpd do.
  'removes fields with a space before the colon',
  // The origin tells when the first and the last byte of an upload have come, and this is right of both.
  'forwards only the first piece of a request as it arrives',
  // No RFC forbids a limit of requests at once, above which others wait.
  'serves only 4 requests at once',
  // RFC 9440 2.4 has the field of this name removed or overwritten; that with an underscore is another.
  'forwards a spelling of Client-Cert with an underscore',
  // No RFC forbids to forward a method that is unknown: PRI is one on HTTP/1.1. The check says that it is forwarded.
  'forwards the preface of HTTP/2 as a request of HTTP/1.1',
  // Nothing else is answered on its connections either, so it is not known what of the request it did not answer.
  'never answers a malformed request',
];
