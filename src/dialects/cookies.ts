import { override, type Override } from '../server/endpoint.ts';
import type { Reply } from '../server/reply.ts';
import type { Request } from '../server/request.ts';
import { forGetOnly } from './overrides.ts';

/** `Expires` of a cookie that is deleted. */
export const EXPIRED = '; Expires=Thu, 01 Jan 1970 00:00:00 GMT';

/** /cookies with the cookies as the dialect reads them. @param type media type of the response */
export function cookieView(type: string, show: (request: Request) => Reply): Override {
  return override('/cookies', {
    summary: "The request's cookies.",
    query: {},
    responses: { 200: { description: 'The cookies by name.', content: [type] } },
    handle: ({ request }) => show(request),
  });
}

/** The redirect to /cookies. @param content media types of its content */
export function redirectResponses(...content: readonly string[]) {
  return { 302: { description: 'To /cookies.', ...(content.length > 0 && { content }) } };
}

/** How a dialect without attributes of cookies in the query shows, sets and deletes them. */
interface PlainCookies {
  /** Media type of /cookies. */
  readonly type: string;
  /** Media types of the redirect's content. */
  readonly redirected?: readonly string[];
  /** What becomes of the values that are set. */
  readonly values: string;
  readonly show: (request: Request) => Reply;
  readonly set: (request: Request) => Reply;
  readonly remove: (request: Request) => Reply;
}

/** /cookies for GET alone, and /cookies/set and /cookies/delete, each parameter of which is a cookie. */
export function plainCookies(dialect: PlainCookies): readonly Override[] {
  const { type, redirected = [], values, show, set, remove } = dialect;
  const responses = redirectResponses(...redirected);
  return [
    forGetOnly(cookieView(type, show)),
    override('/cookies/set', {
      summary: 'Sets a cookie for each query parameter.',
      additionalQuery: `Names and values of cookies, which are ${values}.`,
      responses,
      handle: ({ request }) => set(request),
    }),
    override('/cookies/delete', {
      summary: 'Deletes the cookies named in the query.',
      additionalQuery: 'Names of cookies to delete; values are ignored.',
      responses,
      handle: ({ request }) => remove(request),
    }),
  ];
}
