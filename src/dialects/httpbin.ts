import { STATUS_CODES } from 'node:http';
import { allEndpoints, offEndpoints } from '../endpoints/all.ts';
import { range } from '../endpoints/range.ts';
import type { Dialect, Manner } from '../http/dialect.ts';
import { reply } from '../http/reply.ts';
import { Router } from '../http/router.ts';
import { httpbinShort } from '../views/dialects/httpbin.ts';
import { flaskJson } from '../views/dialects/json.ts';
import { escapeHtml } from '../views/page.ts';
import { documents } from './documents.ts';
import { encodings } from './encodings.ts';
import { basicAndBearer, digest } from './httpbin/authentication.ts';
import { cookies } from './httpbin/cookies.ts';
import { echoes } from './httpbin/echoes.ts';
import { images } from './httpbin/images.ts';
import { headers } from './httpbin/response-headers.ts';
import { timing } from './httpbin/timing.ts';
import { corsForAll } from './manner.ts';
import { octets } from './octets.ts';
import { clamped } from './params.ts';
import { PythonRandom } from './random/python.ts';
import { redirects } from './redirects.ts';
import type { DialectState } from './state.ts';
import { statusEndpoint } from './status.ts';

const HTML = 'text/html; charset=utf-8';

const manner: Manner = {
  problem({ status, message, fields }) {
    const reason = STATUS_CODES[status] ?? '';
    const page = `<!doctype html>
<html lang=en>
<title>${status} ${reason}</title>
<h1>${reason}</h1>
<p>${escapeHtml(message)}</p>
`;
    return reply(HTML, page, { status, fields });
  },
  options: (_, allow) =>
    allow === undefined ? undefined : reply(HTML, '', { fields: ['Allow', allow] }),
  addCorsFields: corsForAll('GET, POST, PUT, DELETE, PATCH, OPTIONS'),
  lengthForHead: true,
};

/** httpbin 0.10. */
export function httpbin(state: DialectState): Dialect {
  const own = [
    ...echoes,
    ...encodings('application/json', (request, mark) =>
      flaskJson({ ...httpbinShort(request), ...mark }),
    ),
    ...documents('application/json', 'text/plain'),
    ...redirects,
    statusEndpoint(HTML),
    ...timing(state),
    ...octets({
      n: clamped({ min: 0, max: 100 * 1024 }),
      chunkSize: clamped({ min: 1, max: 100 * 1024 }),
      seeded: (seed) => new PythonRandom(seed),
    }),
    range(state.maxDuration, { type: 'application/octet-stream', tag: 'range' }),
    ...cookies,
    headers,
    ...images,
    ...basicAndBearer,
    ...digest(state.nonces),
  ];
  const all = { ...state, own };
  const router = new Router(allEndpoints(all));
  return { ...manner, name: 'httpbin', router, off: new Router(offEndpoints(all)) };
}
