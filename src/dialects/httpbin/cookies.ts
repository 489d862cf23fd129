import { redirectWithCookies } from '../../endpoints/cookies.ts';
import { setCookie } from '../../http/cookies.ts';
import { endpoint, queryOf, type Endpoint } from '../../server/endpoint.ts';
import { isForwardedHttps } from '../forwarded.ts';

/** Every query parameter sets a cookie; there are no attributes. */
export const cookies: readonly Endpoint[] = [
  endpoint({
    id: 'cookies_set',
    methods: ['GET'],
    path: '/cookies/set',
    group: 'cookies',
    summary: 'Sets a cookie for each query parameter.',
    params: {},
    additionalQuery: 'Names and values of cookies, which are Secure over TLS.',
    responses: { 302: { description: 'To /cookies.' } },
    handle({ request }) {
      const attributes = { path: '/', secure: isForwardedHttps(request) };
      return redirectWithCookies(queryOf(request), (name, value) =>
        setCookie(name, value, attributes),
      );
    },
  }),
];
