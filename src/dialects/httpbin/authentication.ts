import { digestAuth } from '../../endpoints/digest-auth.ts';
import type { Endpoint } from '../../server/endpoint.ts';
import type { Nonces } from '../../server/nonces.ts';
import { percentDecode } from '../../http/query.ts';
import { reply, type Reply } from '../../server/reply.ts';
import { authentication } from '../authentication.ts';
import { flaskReply } from './echoes.ts';

const HTML = 'text/html; charset=utf-8';

function emptyHtml(status: number, fields: readonly string[] = []): Reply {
  return reply(HTML, '', { status, fields });
}

function authenticated(user: string): Reply {
  return flaskReply({ authenticated: true, user });
}

export const basicAndBearer: readonly Endpoint[] = authentication(
  {
    authenticated,
    unauthorized: () => emptyHtml(401, ['WWW-Authenticate', 'Basic realm="Fake Realm"']),
    notFound: () => emptyHtml(404),
    token: (token) => flaskReply({ authenticated: true, token }),
    missingToken: () => emptyHtml(401, ['WWW-Authenticate', 'Bearer']),
  },
  ['application/json', HTML],
);

/** Digest (RFC 7616). An unknown qop means any, an unknown algorithm MD5. */
export function digest(nonces: Nonces): readonly Endpoint[] {
  return digestAuth(nonces).map(lenient);
}

function lenient(endpoint: Endpoint): Endpoint {
  return {
    ...endpoint,
    async respond(request, [qop = '', user = '', passwd = '', algorithm, ...rest], content) {
      const segments = [/^auth(?:-int)?$/.test(qop) ? qop : 'auth,auth-int', user, passwd];
      if (algorithm !== undefined) {
        segments.push(/^(?:MD5|SHA-256|SHA-512)$/.test(algorithm) ? algorithm : 'MD5');
      }
      await endpoint.respond(request, [...segments, ...rest], content);
      return authenticated(percentDecode(user) ?? user);
    },
  };
}
