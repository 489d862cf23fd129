import { parseCookies, setCookie } from '../http/cookies.ts';
import { endpoint, queryOf, type Endpoint } from '../http/endpoint.ts';
import type { Request } from '../http/exchange.ts';
import { fieldValue } from '../http/fields.ts';
import { anyText, flag, int, oneOf, optional } from '../http/params.ts';
import type { QueryPairs } from '../http/query.ts';
import { json, redirect, type Reply } from '../http/reply.ts';
import { mapSchema, objectSchema, TEXT } from '../http/schema.ts';
import { Problem } from '../kit/problem.ts';

/**
 * Octets that the Set-Cookie fields of an answer may have, counted as HTTP/2 does (RFC 9113 6.5.2).
 * A long path on each of many cookies would make a header section of 500 MB out of a short query,
 * and HTTP/2 in Node fails to send one of 64 KiB.
 */
const MAX_FIELDS = 32 * 1024;

const found = {
  description: 'To /cookies.',
  fields: { Location: 'Always /cookies.', 'Set-Cookie': 'One for each cookie.' },
};

const noName = {
  description: 'There is no cookie to delete, or a name that is no token.',
  content: ['application/problem+json'],
};

/** The parameters of /cookies/set that are no cookies. */
const attributes = {
  path: optional(anyText('The Path attribute.'), '/'),
  domain: optional(anyText('The Domain attribute.'), undefined),
  max_age: optional(int({ min: 0, max: 2 ** 31 - 1 }), undefined),
  samesite: optional(oneOf(['Strict', 'Lax', 'None']), undefined),
  secure: flag,
  httponly: flag,
};

export const cookies: readonly Endpoint[] = [
  endpoint({
    id: 'cookies',
    methods: ['GET', 'DELETE'],
    path: '/cookies',
    group: 'cookies',
    summary: 'GET: the cookies of the request. DELETE: the same as /cookies/delete.',
    params: {},
    freeQuery: 'With DELETE, each name is that of a cookie to delete; values are ignored.',
    responses: {
      200: {
        description: 'The cookies by name.',
        content: ['application/json'],
        schema: objectSchema('Cookies', { cookies: mapSchema(TEXT) }),
      },
      302: found,
      400: noName,
    },
    handle: ({ request }) =>
      request.method === 'DELETE'
        ? deletion(request)
        : json({ cookies: parseCookies(fieldValue(request.fields, 'cookie') ?? '') }),
  }),
  endpoint({
    id: 'cookies_set',
    methods: ['GET'],
    path: '/cookies/set',
    group: 'cookies',
    summary: 'Sets a cookie for each query parameter that is not an attribute.',
    params: {},
    query: attributes,
    freeQuery: 'Each name and value becomes a cookie; beyond US-ASCII it is sent as UTF-8.',
    exampleQuery: 'flavour=oat&max_age=3600',
    responses: { 302: found },
    handle({ request, query }) {
      const pairs = queryOf(request).filter(([name]) => !Object.hasOwn(attributes, name));
      const { path, domain, max_age: maxAge, samesite: sameSite, secure, httponly } = query;
      const shared = { path, domain, maxAge, sameSite, secure, httpOnly: httponly };
      return redirection(pairs, (name, value) => setCookie(name, value, shared));
    },
  }),
  endpoint({
    id: 'cookies_delete',
    methods: ['GET'],
    path: '/cookies/delete',
    group: 'cookies',
    summary: 'Deletes the cookies that the query names.',
    params: {},
    freeQuery: 'Each name is that of a cookie to delete; values are ignored.',
    exampleQuery: 'flavour',
    responses: { 302: found, 400: noName },
    handle: ({ request }) => deletion(request),
  }),
];

function deletion(request: Request): Reply {
  const pairs = queryOf(request);
  if (pairs.length === 0) {
    throw new Problem('invalid-parameter', 'the query names no cookie to delete');
  }
  return redirection(pairs, (name) => setCookie(name, '', { path: '/', maxAge: 0 }));
}

/** @param cookie makes the Set-Cookie value for a pair; none is made beyond the bound */
function redirection(pairs: QueryPairs, cookie: (name: string, value: string) => string): Reply {
  const fields: string[] = [];
  let octets = 0;
  for (const [name, value] of pairs) {
    const line = cookie(name, value);
    octets += 'set-cookie'.length + line.length + 32;
    if (octets > MAX_FIELDS) {
      const bound = `the maximum of ${MAX_FIELDS} octets`;
      throw new Problem('invalid-parameter', `the Set-Cookie fields exceed ${bound}`);
    }
    fields.push('Set-Cookie', line);
  }
  return redirect('/cookies', fields);
}
