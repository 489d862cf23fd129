import { Problem } from '../http/problem.ts';
import type { Request } from './request.ts';
import type { FieldLines } from '../http/fields.ts';

export interface SizeLimits {
  /** Bytes of a request target. */
  readonly maxTargetSize: number;
  /** Bytes of a header section: of its names and values, and HTTP/1.x counts the target as well. */
  readonly maxHeaderSize: number;
  /** Field lines of a header section, HTTP/2's pseudo-header fields included. */
  readonly maxFields: number;
}

/**
 * What of a request's head is too large, of what its parser let pass; undefined when nothing is.
 * RFC 9110 15.5.15, RFC 6585 5.
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
  // The parser of HTTP/1.x has counted them.
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
