import type { ResponseDoc } from '../server/endpoint.ts';
import { json, type Reply } from '../server/reply.ts';
import { BOOLEAN, objectSchema, TEXT } from '../server/schema.ts';

/** The response to valid credentials, with httpbin's members and go-httpbin's `authorized`. */
export function authenticatedReply(user: string): Reply {
  return json({ authenticated: true, authorized: true, user });
}

export const authenticatedResponse: ResponseDoc = {
  description: 'The credentials are valid.',
  content: ['application/json'],
  schema: objectSchema('Authenticated', {
    authenticated: BOOLEAN,
    authorized: BOOLEAN,
    user: TEXT,
  }),
};

export const unauthorizedResponse: ResponseDoc = {
  description: 'The credentials are missing or wrong.',
  content: ['application/problem+json'],
  fields: { 'WWW-Authenticate': 'The authentication scheme and its parameters.' },
};
