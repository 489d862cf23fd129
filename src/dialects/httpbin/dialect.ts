import { STATUS_CODES } from 'node:http';
import { allEndpoints, offEndpoints } from '../../endpoints/all.ts';
import { range } from '../../endpoints/range.ts';
import type { Dialect, ResponseStyle } from '../../server/dialect.ts';
import { reply } from '../../server/reply.ts';
import { Router } from '../../server/router.ts';
import { httpbinEncodedView } from './view.ts';
import { flaskJson } from '../json.ts';
import { escapeHtml } from '../../pages/page.ts';
import { documents } from '../documents.ts';
import { encodings } from '../encodings.ts';
import { basicAndBearer, digest } from './authentication.ts';
import { cookies } from './cookies.ts';
import { echoes } from './echoes.ts';
import { images } from './images.ts';
import { responseHeaders } from './response-headers.ts';
import { timing } from './timing.ts';
import { corsForAll } from '../response-style.ts';
import { bytes } from '../bytes.ts';
import { clampedInteger } from '../params.ts';
import { PythonRandom } from '../random/python.ts';
import { redirects } from '../redirects.ts';
import type { DialectState } from '../state.ts';
import { statusEndpoint } from '../status.ts';

const HTML = 'text/html; charset=utf-8';

const style: ResponseStyle = {
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
  const overrides = [
    ...echoes,
    ...encodings('application/json', (request, coding) =>
      flaskJson({ ...httpbinEncodedView(request), ...coding }),
    ),
    ...documents('application/json', 'text/plain'),
    ...redirects,
    statusEndpoint(HTML),
    ...timing(state),
    ...bytes({
      n: clampedInteger({ min: 0, max: 100 * 1024 }),
      chunkSize: clampedInteger({ min: 1, max: 100 * 1024 }),
      createRandom: (seed) => new PythonRandom(seed),
    }),
    range(state.maxDuration, { type: 'application/octet-stream', etagPrefix: 'range' }),
    ...cookies,
    responseHeaders,
    ...images,
    ...basicAndBearer,
    ...digest(state.nonces),
  ];
  const all = { ...state, overrides };
  const router = new Router(allEndpoints(all));
  return { ...style, name: 'httpbin', router, disabled: new Router(offEndpoints(all)) };
}
