/** The protocol between client and target; the same URL can offer both. */
export type FrontName = 'http/1.1' | 'h2';

/**
 * What a check needs:
 *
 * - gateway: an intermediary that reads messages; a tunnel (RFC 9110 9.3.6) forwards bytes
 * - journal: what reached the origin can be asked for
 * - faults: the origin makes faults on request
 * - control: the origin can be drained (--control), and asked past the target when it serves again
 * - raw: the origin sends responses of the client's own making (--allow-raw)
 * - cache: the target reuses responses
 * - tls: the target is an https URL
 * - tls-origin: the origin receives TLS
 * - client-certificate: the target is shown a certificate
 * - proxy-protocol: the target expects PROXY headers of its clients
 * - proxy-origin: the origin receives PROXY headers
 * - http1-origin, h2-origin: the protocol that the origin receives
 */
export type Need =
  | 'gateway'
  | 'journal'
  | 'faults'
  | 'control'
  | 'raw'
  | 'cache'
  | 'tls'
  | 'tls-origin'
  | 'client-certificate'
  | 'proxy-protocol'
  | 'proxy-origin'
  | 'http1-origin'
  | 'h2-origin';
