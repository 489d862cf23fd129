/** What the first bytes of a connection say it speaks. */
export type DetectedProtocol = 'tls' | 'h2' | 'h1' | 'more';

/** The client connection preface's first line (RFC 9113 3.4). */
const PREFACE = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 'latin1');

/** ContentType handshake (RFC 8446 5.1). No HTTP method starts with this byte, so one byte is enough. */
const TLS_HANDSHAKE = 0x16;

/**
 * Tells the protocol of a connection from its first bytes; `more` asks for another one.
 *
 * `PRI` alone does not decide for HTTP/2: it is reserved, but HTTP/1.1 can carry a method that
 * starts with it. Bytes that follow the preface are HTTP/2's own affair.
 */
export function detectProtocol(bytes: Uint8Array): DetectedProtocol {
  const [first] = bytes;
  if (first === undefined) return 'more';
  if (first === TLS_HANDSHAKE) return 'tls';
  if (!isPrefacePrefix(bytes)) return 'h1';
  return bytes.length >= PREFACE.length ? 'h2' : 'more';
}

/** Whether the bytes are the client connection preface, or as much of it as has come. */
export function isPrefacePrefix(bytes: Uint8Array): boolean {
  const length = Math.min(bytes.length, PREFACE.length);
  return PREFACE.compare(bytes, 0, length, 0, length) === 0;
}
