import { STATUS_CODES } from 'node:http';
import { allEndpoints } from '../endpoints/all.ts';
import type { Dialect, Manner } from '../http/dialect.ts';
import { reply } from '../http/reply.ts';
import { Router } from '../http/router.ts';
import { escapeHtml } from '../views/page.ts';
import { documents } from './documents.ts';
import { basicAndBearer, digest } from './httpbin/authentication.ts';
import { cookies } from './httpbin/cookies.ts';
import { echoes } from './httpbin/echoes.ts';
import { encodings } from './httpbin/encodings.ts';
import { images } from './httpbin/images.ts';
import { corsForAll } from './manner.ts';
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
    ...encodings,
    ...documents('application/json', 'text/plain'),
    ...redirects,
    statusEndpoint(HTML),
    ...cookies,
    ...images,
    ...basicAndBearer,
    ...digest(state.nonces),
  ];
  const router = new Router(allEndpoints({ ...state, own }));
  return { ...manner, name: 'httpbin', router };
}
