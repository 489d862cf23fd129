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
import {
  endpoint,
  jsonResponse,
  problemResponse,
  queryOf,
  type Endpoint,
} from '../server/endpoint.ts';
import type { Request } from '../server/request.ts';
import { fieldSize, fieldValue, MAX_REQUESTED_FIELDS } from '../http/fields.ts';
import { TOKEN_PATTERN } from '../http/syntax.ts';
import { singleValue, type QueryPairs } from '../http/query.ts';
import { json, redirect, type Reply } from '../server/reply.ts';
import {
  mapSchema,
  objectSchema,
  TEXT,
  stringOrStrings,
  type JsonSchema,
} from '../server/schema.ts';
import { Problem } from '../http/problem.ts';

const redirectResponse = {
  description: 'To /cookies.',
  fields: { Location: 'Always /cookies.', 'Set-Cookie': 'One for each cookie.' },
};

const badNameResponse = problemResponse('The query names no cookie, or a name is not a token.');

/** Query parameters for attributes of cookies, instead of cookies. */
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
  '`attr[Path]`, `attr[Domain]`, `attr[SameSite]`, `attr[Secure]` and `attr[HttpOnly]`, in any ' +
  'case, set attributes of all cookies, as in go-httpbin.';

/** The names of cookies to delete. */
const cookieNames: JsonSchema = {
  ...mapSchema(stringOrStrings()),
  propertyNames: { ...TEXT, pattern: TOKEN_PATTERN.source },
  minProperties: 1,
};

interface CookieQuery {
  readonly cookies: QueryPairs;
  /** Attributes of all cookies in the query. */
  readonly shared: CookieAttributes;
}

/**
 * Separates cookies and attributes in a query.
 *
 * @param plain whether names such as `path` are attributes even without `attr[]`
 */
function parseCookieQuery(pairs: QueryPairs, plain: boolean): CookieQuery {
  const given: [string, string][] = [];
  const cookies = pairs.filter(([name, value]) => {
    const [, bracketed] = BRACKETED_ATTRIBUTE.exec(name) ?? [];
    if (bracketed !== undefined) given.push(bracketedAttribute(name, bracketed, value));
    else if (plain && Object.hasOwn(attributes, name)) given.push([name, value]);
    else return true;
    return false;
  });
  const read = <T>(name: string, parameter: Parameter<T>): T =>
    parameter.parse(singleValue(given, name), name);
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

/** The plain name and the value of an attribute. Values of SameSite are case-insensitive. */
function bracketedAttribute(name: string, bracketed: string, value: string): [string, string] {
  const attribute = bracketed.toLowerCase();
  if (!BRACKETED.has(attribute)) {
    throw new Problem('invalid-parameter', `${name} is not a cookie attribute`);
  }
  if (attribute !== 'samesite') return [attribute, value];
  return [attribute, value.charAt(0).toUpperCase() + value.slice(1).toLowerCase()];
}

export const cookies: readonly Endpoint[] = [
  endpoint({
    methods: ['GET', 'DELETE'],
    path: '/cookies',
    group: 'cookies',
    summary: "GET: the request's cookies. DELETE: the same as /cookies/delete.",
    curl: 'curl -sS -b flavour=oat localhost:8080/cookies',
    additionalQuery: {
      description: 'Names of cookies to delete; values are ignored.',
      schema: cookieNames,
      methods: ['DELETE'],
    },
    responses: {
      200: jsonResponse(
        'The cookies by name.',
        objectSchema('Cookies', { cookies: mapSchema(TEXT) }),
      ),
      302: redirectResponse,
      400: badNameResponse,
    },
    handle: ({ request }) =>
      request.method === 'DELETE'
        ? deletion(request)
        : json({ cookies: parseCookies(fieldValue(request.fields, 'cookie') ?? '') }),
  }),
  endpoint({
    path: '/cookies/set',
    group: 'cookies',
    summary: 'Sets a cookie for each query parameter that is not a cookie attribute.',
    query: attributes,
    additionalQuery: {
      description: `Names and values of cookies, sent as UTF-8. ${bracketedDoc}`,
      schema: {
        ...mapSchema(stringOrStrings({ type: 'string', pattern: COOKIE_TEXT.source })),
        propertyNames: { ...TEXT, pattern: TOKEN_PATTERN.source },
      },
    },
    exampleQuery: 'flavour=oat&max_age=3600',
    responses: { 302: redirectResponse },
    handle({ request }) {
      const { cookies: pairs, shared } = parseCookieQuery(queryOf(request), true);
      return redirectWithCookies(pairs, (name, value) => setCookie(name, value, shared));
    },
  }),
  endpoint({
    id: 'cookies_set_one',
    path: '/cookies/set/{name}/{value}',
    group: 'cookies',
    summary: 'Sets one cookie.',
    params: {
      name: matching(TOKEN_PATTERN, 'is not a token', { description: 'A token.' }),
      value: cookieText('Sent as UTF-8.'),
    },
    responses: { 302: redirectResponse },
    handle: ({ params: { name, value } }) =>
      redirectWithCookies([[name, value]], () => setCookie(name, value, { path: '/' })),
  }),
  endpoint({
    path: '/cookies/delete',
    group: 'cookies',
    summary: 'Deletes the cookies named in the query.',
    additionalQuery: {
      description: `Names of cookies to delete; values are ignored. ${bracketedDoc}`,
      schema: cookieNames,
    },
    exampleQuery: 'flavour',
    responses: { 302: redirectResponse, 400: badNameResponse },
    handle: ({ request }) => deletion(request),
  }),
];

function deletion(request: Request): Reply {
  const { cookies: pairs, shared } = parseCookieQuery(queryOf(request), false);
  if (pairs.length === 0) {
    throw new Problem('invalid-parameter', 'the query names no cookie to delete');
  }
  return redirectWithCookies(pairs, (name) => setCookie(name, '', { ...shared, maxAge: 0 }));
}

/**
 * Redirects to /cookies with a Set-Cookie field for each pair.
 *
 * @param toSetCookie makes the field value for a pair
 * @throws Problem if the fields exceed MAX_REQUESTED_FIELDS, before further ones are made
 */
export function redirectWithCookies(
  pairs: QueryPairs,
  toSetCookie: (name: string, value: string) => string,
): Reply {
  const fields: string[] = [];
  let bytes = 0;
  for (const [name, value] of pairs) {
    const line = toSetCookie(name, value);
    bytes += fieldSize('set-cookie', line);
    // Many cookies with a long path could otherwise make 500 MB from a short query.
    if (bytes > MAX_REQUESTED_FIELDS) {
      const limit = `the maximum of ${MAX_REQUESTED_FIELDS} bytes`;
      throw new Problem('invalid-parameter', `the Set-Cookie fields exceed ${limit}`);
    }
    fields.push('Set-Cookie', line);
  }
  return redirect('/cookies', fields);
}
