import { COOKIE_TEXT, parseCookies, setCookie, type CookieAttributes } from '../http/cookies.ts';
import {
  cookieText,
  described,
  flag,
  int,
  matching,
  oneOf,
  optional,
  type Parameter,
} from '../server/params.ts';
import { endpoint, queryOf, type Endpoint } from '../server/endpoint.ts';
import type { Request } from '../server/request.ts';
import { fieldSize, fieldValue, MAX_ASKED_FIELDS, TOKEN } from '../http/fields.ts';
import { single, type QueryPairs } from '../http/query.ts';
import { json, redirect, type Reply } from '../server/reply.ts';
import {
  mapSchema,
  objectSchema,
  TEXT,
  stringOrStrings,
  type JsonSchema,
} from '../server/schema.ts';
import { Problem } from '../http/problem.ts';

const found = {
  description: 'To /cookies.',
  fields: { Location: 'Always /cookies.', 'Set-Cookie': 'One for each cookie.' },
};

const noName = {
  description: 'There is no cookie to delete, or a name that is no token.',
  content: ['application/problem+json'],
};

/** The attributes as parameters, which are then no cookies. */
const attributes = {
  path: optional(cookieText('The Path attribute.'), '/'),
  domain: optional(cookieText('The Domain attribute.'), undefined),
  max_age: described(
    'The Max-Age attribute.',
    optional(int({ min: 0, max: 2 ** 31 - 1 }), undefined),
  ),
  samesite: described(
    'The SameSite attribute.',
    optional(oneOf(['Strict', 'Lax', 'None']), undefined),
  ),
  secure: described('The Secure attribute.', flag),
  httponly: described('The HttpOnly attribute.', flag),
};

const BRACKETED_ATTRIBUTE = /^attr\[(.*)\]$/i;
const BRACKETED = new Set(['path', 'domain', 'samesite', 'secure', 'httponly']);
const bracketedDoc =
  'As go-httpbin has them, `attr[Path]`, `attr[Domain]`, `attr[SameSite]`, `attr[Secure]` and ' +
  '`attr[HttpOnly]`, in any case, are attributes of all the cookies.';

/** Of cookies to delete. */
const someNames: JsonSchema = {
  ...mapSchema(stringOrStrings()),
  propertyNames: { pattern: TOKEN.source },
  minProperties: 1,
};

interface Asked {
  readonly cookies: QueryPairs;
  readonly shared: CookieAttributes;
}

/** Tells cookies from attributes. @param plain whether the names in `attributes` are attributes too */
function asked(pairs: QueryPairs, plain: boolean): Asked {
  const given: [string, string][] = [];
  const cookies = pairs.filter(([name, value]) => {
    const [, bracketed] = BRACKETED_ATTRIBUTE.exec(name) ?? [];
    if (bracketed !== undefined) given.push(bracketedAttribute(name, bracketed, value));
    else if (plain && Object.hasOwn(attributes, name)) given.push([name, value]);
    else return true;
    return false;
  });
  const read = <T>(name: string, parameter: Parameter<T>): T =>
    parameter.parse(single(given, name), name);
  const shared = {
    path: read('path', attributes.path),
    domain: read('domain', attributes.domain),
    maxAge: read('max_age', attributes.max_age),
    sameSite: read('samesite', attributes.samesite),
    secure: read('secure', attributes.secure),
    httpOnly: read('httponly', attributes.httponly),
  };
  return { cookies, shared };
}

/** The attribute by its plain name, and its value; SameSite is written in any case too. */
function bracketedAttribute(name: string, bracketed: string, value: string): [string, string] {
  const attribute = bracketed.toLowerCase();
  if (!BRACKETED.has(attribute)) {
    throw new Problem('invalid-parameter', `${name} is no attribute of cookies`);
  }
  if (attribute !== 'samesite') return [attribute, value];
  return [attribute, value.charAt(0).toUpperCase() + value.slice(1).toLowerCase()];
}

export const cookies: readonly Endpoint[] = [
  endpoint({
    id: 'cookies',
    methods: ['GET', 'DELETE'],
    path: '/cookies',
    group: 'cookies',
    summary: 'GET: the cookies of the request. DELETE: the same as /cookies/delete.',
    params: {},
    additionalQuery: {
      description: 'Each name is that of a cookie to delete; values are ignored.',
      schema: someNames,
      methods: ['DELETE'],
    },
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
    additionalQuery: {
      description: `Each name and value becomes a cookie; beyond US-ASCII it is sent as UTF-8. ${bracketedDoc}`,
      schema: {
        ...mapSchema(stringOrStrings({ type: 'string', pattern: COOKIE_TEXT.source })),
        propertyNames: { pattern: TOKEN.source },
      },
    },
    exampleQuery: 'flavour=oat&max_age=3600',
    responses: { 302: found },
    handle({ request }) {
      const { cookies: pairs, shared } = asked(queryOf(request), true);
      return redirection(pairs, (name, value) => setCookie(name, value, shared));
    },
  }),
  endpoint({
    id: 'cookies_set_one',
    methods: ['GET'],
    path: '/cookies/set/{name}/{value}',
    group: 'cookies',
    summary: 'Sets the one cookie.',
    params: {
      name: matching(TOKEN, 'is no token', { description: 'A token.' }),
      value: cookieText('Sent as UTF-8.'),
    },
    secretPath: true,
    responses: { 302: found },
    handle: ({ params: { name, value } }) =>
      redirection([[name, value]], () => setCookie(name, value, { path: '/' })),
  }),
  endpoint({
    id: 'cookies_delete',
    methods: ['GET'],
    path: '/cookies/delete',
    group: 'cookies',
    summary: 'Deletes the cookies that the query names.',
    params: {},
    additionalQuery: {
      description: `Each name is that of a cookie to delete; values are ignored. ${bracketedDoc}`,
      schema: someNames,
    },
    exampleQuery: 'flavour',
    responses: { 302: found, 400: noName },
    handle: ({ request }) => deletion(request),
  }),
];

function deletion(request: Request): Reply {
  const { cookies: pairs, shared } = asked(queryOf(request), false);
  if (pairs.length === 0) {
    throw new Problem('invalid-parameter', 'the query names no cookie to delete');
  }
  return redirection(pairs, (name) => setCookie(name, '', { ...shared, maxAge: 0 }));
}

/**
 * To /cookies, with a cookie for each pair.
 *
 * @param cookie makes the Set-Cookie value for a pair; none is made beyond the bound
 * @throws Problem
 */
export function redirection(
  pairs: QueryPairs,
  cookie: (name: string, value: string) => string,
): Reply {
  const fields: string[] = [];
  let bytes = 0;
  for (const [name, value] of pairs) {
    const line = cookie(name, value);
    bytes += fieldSize('set-cookie', line);
    // A long path on each of many cookies would make 500 MB out of a short query.
    if (bytes > MAX_ASKED_FIELDS) {
      const bound = `the maximum of ${MAX_ASKED_FIELDS} bytes`;
      throw new Problem('invalid-parameter', `the Set-Cookie fields exceed ${bound}`);
    }
    fields.push('Set-Cookie', line);
  }
  return redirect('/cookies', fields);
}
