import { redirectWithCookies } from '../../endpoints/cookies.ts';
import { setCookie } from '../../http/cookies.ts';
import { endpoint, queryOf, type Endpoint } from '../../server/endpoint.ts';
import { isForwardedHttps } from '../forwarded.ts';

/** Every parameter is a cookie. */
export const cookies: readonly Endpoint[] = [
  endpoint({
    id: 'cookies_set',
    methods: ['GET'],
    path: '/cookies/set',
    group: 'cookies',
    summary: 'Sets a cookie for each query parameter.',
    params: {},
    additionalQuery: 'Each name and value becomes a cookie, secure over TLS.',
    responses: { 302: { description: 'To /cookies.' } },
    handle({ request }) {
      const attributes = { path: '/', secure: isForwardedHttps(request) };
      return redirectWithCookies(queryOf(request), (name, value) =>
        setCookie(name, value, attributes),
      );
    },
  }),
];
