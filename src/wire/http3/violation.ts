import type { Violation } from '../http2/violation.ts';
import type { ErrorName } from './names.ts';

/** A broken rule that ends the connection (RFC 9114 8). */
export const connectionError = (section: string, reason: string, code: ErrorName): Violation => ({
  scope: 'connection',
  reason,
  section,
  code,
});

/** A broken rule that ends a request stream (RFC 9114 8). */
export const streamError = (section: string, reason: string, code: ErrorName): Violation => ({
  scope: 'stream',
  reason,
  section,
  code,
});
