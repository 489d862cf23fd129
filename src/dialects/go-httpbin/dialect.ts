import { allowed } from '../../server/allow.ts';
import { reasonPhrases } from '../../http/status.ts';
import { allEndpoints, offEndpoints } from '../../endpoints/all.ts';
import type { Dialect } from '../../server/dialect.ts';
import { Router } from '../../server/router.ts';
import type { Endpoint } from '../../server/endpoint.ts';
import { reply, text, TEXT_TYPE } from '../../server/reply.ts';
import { adapt, type DialectState } from '../adapt.ts';
import { withoutEmptySegments } from '../empty-segments.ts';
import { corsForAll } from '../cors.ts';
import { unknownOperation } from './base64.ts';
import { overrides } from './endpoints.ts';
import { goError, goReply } from './replies.ts';

const inherited = `
  /tls /http1 /http2 /compressed /zstd /encoding/utf8 /forms/post /deny
  /links/{n} /cookies/set/{name}/{value}
  /healthz /readyz /control/ready /control/drain /control/exit /metrics /connections /tap /openapi.json /problems/{code}
`;

/** The dialect of go-httpbin 2.25. */
export function goHttpbin(given: DialectState): Dialect {
  // /env and /hostname exist even without their settings, as in the original, but reveal nothing.
  const { environment = {}, hostname = 'go-httpbin' } = given;
  const state = { ...given, environment, hostname };
  const adapted = adapt({
    inherited,
    overrides: overrides(state, () => endpoints),
    added: [unknownOperation],
  });
  const endpoints: readonly Endpoint[] = allEndpoints(state, adapted);
  return {
    name: 'go-httpbin',
    router: withoutEmptySegments(new Router(endpoints)),
    disabled: offEndpoints(endpoints, state, adapted),
    problem({ code, status: standard, message, fields }) {
      // As in the original, whose router responds in plain text, and its handlers in JSON.
      if (code === 'not-found') return text('404 page not found\n', { status: standard, fields });
      if (code === 'method-not-allowed') {
        return text('Method Not Allowed\n', { status: standard, fields });
      }
      const goStatus = code === 'content-too-large' ? 400 : standard;
      const content = goError(goStatus, reasonPhrases[goStatus] ?? '', message);
      return goReply(content, { status: goStatus, fields });
    },
    options: (_, target) =>
      reply(TEXT_TYPE, '', { fields: target ? ['Allow', allowed(target.methods)] : [] }),
    addCorsFields: corsForAll('GET, POST, HEAD, PUT, DELETE, PATCH, OPTIONS'),
    lengthForHead: false,
  };
}
