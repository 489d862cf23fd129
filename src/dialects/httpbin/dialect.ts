import { allowed } from '../../server/allow.ts';
import { allEndpoints, offEndpoints, ownEndpoints } from '../../endpoints/all.ts';
import { escapeHtml } from '../../pages/page.ts';
import type { Dialect } from '../../server/dialect.ts';
import { Router } from '../../server/router.ts';
import type { Endpoint } from '../../server/endpoint.ts';
import { HTML_TYPE, reply } from '../../server/reply.ts';
import { adapt, type DialectState } from '../adapt.ts';
import { withoutEmptySegments } from '../empty-segments.ts';
import { corsForAll } from '../cors.ts';
import { overrides } from './endpoints.ts';
import { reasonPhrases, statusName } from './reason-phrases.ts';

const inherited = `
  /head /dump/request /upload /user-agent /uuid /tls /http1 /http2 /compressed /zstd
  /base64/{text} /base64/decode/{text} /base64/encode/{text} /encoding/utf8 /forms/post /deny
  /trailers
  /links/{n} /links/{n}/{offset} /redirect-to /sse /jsonl /unstable
  /env /hostname /version /healthz /readyz /control/ready /control/drain /control/exit /metrics /connections /tap /openapi.json /problems/{code}
`;

/** The dialect of httpbin 0.10. */
export function httpbin(state: DialectState): Dialect {
  const adapted = adapt({ inherited, overrides: overrides(state, () => endpoints) });
  const endpoints: readonly Endpoint[] = allEndpoints(state, adapted);
  return {
    name: 'httpbin',
    router: withoutEmptySegments(new Router(endpoints)),
    disabled: offEndpoints(endpoints, state, adapted),
    ownDialect: ownEndpoints(state),
    problem({ status, message, fields }) {
      const reason = statusName(status);
      const page = `<!doctype html>
<html lang=en>
<title>${status} ${reason}</title>
<h1>${reason}</h1>
<p>${escapeHtml(message)}</p>
`;
      return reply(HTML_TYPE, page, { status, fields });
    },
    options: (_, target) =>
      target && reply(HTML_TYPE, '', { fields: ['Allow', allowed(target.methods)] }),
    addCorsFields: corsForAll('GET, POST, PUT, DELETE, PATCH, OPTIONS'),
    lengthForHead: true,
    reasonPhrases,
  };
}
