import { authorizationToken } from './authorization.ts';
import type { FieldLines } from './fields.ts';
import { invalidParameter, type Parameter } from './params.ts';

/** The user of Basic credentials: in them a colon would end it (RFC 7617 2). */
export const basicUser: Parameter<string> = {
  schema: { type: 'string', description: 'The user, without a colon.' },
  required: true,
  parse(text = '', name) {
    if (text.includes(':')) throw invalidParameter(name, text, 'has a colon');
    return text;
  },
};

/** Whether a request has these Basic credentials, in UTF-8 (RFC 7617 2.1). */
export function hasBasicCredentials(fields: FieldLines, user: string, passwd: string): boolean {
  const token = authorizationToken(fields, 'basic');
  return token !== undefined && Buffer.from(token, 'base64').toString() === `${user}:${passwd}`;
}
