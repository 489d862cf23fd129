import { authorizationToken } from './authorization.ts';
import type { FieldLines } from './fields.ts';
import { matching } from './params.ts';

/** The user of Basic credentials: in them a colon would end it (RFC 7617 2). */
export const basicUser = matching(/^[^:]*$/, 'has a colon', {
  description: 'The user, without a colon.',
});

/** Whether a request has these Basic credentials, in UTF-8 (RFC 7617 2.1). */
export function hasBasicCredentials(fields: FieldLines, user: string, passwd: string): boolean {
  const token = authorizationToken(fields, 'basic');
  return token !== undefined && Buffer.from(token, 'base64').toString() === `${user}:${passwd}`;
}
