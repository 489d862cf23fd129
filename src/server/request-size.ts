import { Problem } from '../http/problem.ts';
import type { Request } from './request.ts';
import type { FieldLines } from '../http/fields.ts';

export interface SizeLimits {
  /** Maximum request target, in bytes. */
  readonly maxTargetSize: number;
  /** Maximum total of field names and values, in bytes; on HTTP/1.x including the target. */
  readonly maxHeaderSize: number;
  /** Maximum number of field lines, including HTTP/2 pseudo-header fields. */
  readonly maxFields: number;
}

/**
 * Checks the limits that the parser does not enforce (RFC 9110 15.5.15, RFC 6585 5). Returns undefined
 * if none is exceeded.
 */
export function validateRequestSize(
  { version, rawTarget, fields }: Request,
  { maxTargetSize, maxHeaderSize, maxFields }: SizeLimits,
): Problem | undefined {
  if (rawTarget.length > maxTargetSize) {
    const sizes = `${rawTarget.length} bytes, which exceeds the maximum of ${maxTargetSize}`;
    return new Problem('target-too-long', `the target has ${sizes}`);
  }
  const count = fields.length / 2;
  if (count > maxFields) {
    const counts = `${count} fields, which exceeds the maximum of ${maxFields}`;
    return new Problem('fields-too-large', `the header section has ${counts}`);
  }
  // The HTTP/1.x parser enforces this limit itself.
  if (version === 'HTTP/2.0' && bytesOf(fields) > maxHeaderSize) {
    const limit = `the maximum of ${maxHeaderSize} bytes`;
    return new Problem('fields-too-large', `the header section exceeds ${limit}`);
  }
  return undefined;
}

function bytesOf(fields: FieldLines): number {
  let bytes = 0;
  for (const text of fields) bytes += text.length;
  return bytes;
}
