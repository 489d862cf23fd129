import { authorizationToken } from './authorization.ts';
import type { FieldLines } from './fields.ts';

/** Whether a request has these Basic credentials; they are decoded as UTF-8 (RFC 7617 2.1). */
export function hasBasicCredentials(fields: FieldLines, user: string, passwd: string): boolean {
  const token = authorizationToken(fields, 'basic');
  return token !== undefined && Buffer.from(token, 'base64').toString() === `${user}:${passwd}`;
}
