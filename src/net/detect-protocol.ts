import { PREFACE } from '../wire/http2/frame.ts';
import { ContentType } from '../wire/tls/record.ts';

/** The protocol that the first bytes indicate. */
export type DetectedProtocol = 'tls' | 'h2' | 'h1' | 'more';

/**
 * Detects the protocol of a connection from its first bytes; `more` means that at least one more byte is
 * needed. `PRI` alone does not indicate HTTP/2: an HTTP/1.1 method may start with it.
 */
export function detectProtocol(bytes: Uint8Array): DetectedProtocol {
  const [first] = bytes;
  if (first === undefined) return 'more';
  // No HTTP method starts with this byte.
  if (first === ContentType.handshake) return 'tls';
  if (!matchesPreface(bytes)) return 'h1';
  return bytes.length >= PREFACE.length ? 'h2' : 'more';
}

/** Whether the bytes start with the client connection preface, or are a prefix of it. */
export function matchesPreface(bytes: Uint8Array): boolean {
  const length = Math.min(bytes.length, PREFACE.length);
  return PREFACE.compare(bytes, 0, length, 0, length) === 0;
}
