import { PREFACE } from '../wire/http2/frame.ts';
import { ContentType } from '../wire/tls/record.ts';

/** A protocol detected from the first bytes; `more` if they are not enough. */
export type DetectedProtocol = 'tls' | 'h2' | 'h1' | 'more';

/**
 * Detects the protocol of a connection from its first bytes. `PRI` alone does not mean HTTP/2, because an HTTP/1.1
 * method may begin with it.
 */
export function detectProtocol(bytes: Uint8Array): DetectedProtocol {
  const [first] = bytes;
  if (first === undefined) return 'more';
  // No HTTP method starts with this byte.
  if (first === ContentType.handshake) return 'tls';
  if (!matchesPreface(bytes)) return 'h1';
  return bytes.length >= PREFACE.length ? 'h2' : 'more';
}

/** Whether the bytes begin with the client connection preface or, if shorter, may be the beginning of one. */
export function matchesPreface(bytes: Uint8Array): boolean {
  const length = Math.min(bytes.length, PREFACE.length);
  return PREFACE.compare(bytes, 0, length, 0, length) === 0;
}
