import type { ResponseDoc } from '../server/endpoint.ts';
import { json, type Reply } from '../server/reply.ts';
import { objectSchema, TEXT, type JsonSchema } from '../server/schema.ts';

const TRUE: JsonSchema = { type: 'boolean' };

/** The answer to the right credentials: httpbin's members, and go-httpbin's `authorized`. */
export function authenticatedReply(user: string): Reply {
  return json({ authenticated: true, authorized: true, user });
}

export const authenticatedResponse: ResponseDoc = {
  description: 'The credentials are right.',
  content: ['application/json'],
  schema: objectSchema('Authenticated', { authenticated: TRUE, authorized: TRUE, user: TEXT }),
};

export const unauthorizedResponse: ResponseDoc = {
  description: 'The credentials are missing, or others.',
  content: ['application/problem+json'],
  fields: { 'WWW-Authenticate': 'The scheme, and what else the client has to know.' },
};
