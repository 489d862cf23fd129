/** Names of gateways that no check finds. */
export const notFound: readonly string[] = [
  // RFC 9112 5.1 has whitespace removed. The check says that the field is lost, which keeps nobody from reading another.
  'removes fields with a space before the colon',
  // No value that the origin sends is longer.
  'cuts values of a response after 8 KiB',
  // cancel and streaming
  // The origin tells when the first and the last byte of an upload have come, and this is right of both.
  'forwards only the first piece of a request as it arrives',
  // backpressure
  'serves only 4 requests at once',
  // client-certificate
  // RFC 9440 2.4 has the field of this name removed or overwritten; that with an underscore is another.
  'forwards a spelling of Client-Cert with an underscore',
  // proxy-protocol and upgrade
  'forwards addresses of version 1 only',
  'keeps the address of the header before',
  'has 0.0.0.0 for what names no address',
  'ignores the address of a header with TLVs',
  'takes a short address',
  'serves HTTP/2 without a header',
  'serves methods other than GET without a header',
  'takes a header of version 2 for IPv6 of any client',
  'forwards the preface of HTTP/2 as a request of HTTP/1.1',
];
