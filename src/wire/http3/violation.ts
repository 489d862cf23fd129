import {
  connectionError as http2ConnectionError,
  streamError as http2StreamError,
  type Violation,
} from '../http2/violation.ts';
import type { ErrorName } from './names.ts';

// The violations of HTTP/2, with the error codes of HTTP/3.
type MakeViolation = (section: string, reason: string, code: ErrorName) => Violation;

/** A broken rule that ends the connection (RFC 9114 8). */
export const connectionError: MakeViolation = http2ConnectionError;

/** A broken rule that ends a request stream (RFC 9114 8). */
export const streamError: MakeViolation = http2StreamError;
