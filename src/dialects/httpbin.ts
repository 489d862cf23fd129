import { STATUS_CODES } from 'node:http';
import { allEndpoints, type ServiceState } from '../endpoints/all.ts';
import type { Dialect, Manner } from '../http/dialect.ts';
import { reply } from '../http/reply.ts';
import { Router } from '../http/router.ts';
import { escapeHtml } from '../views/page.ts';
import { echoes } from './httpbin/echoes.ts';
import { corsForAll } from './manner.ts';

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
export function httpbin(state: ServiceState): Dialect {
  const endpoints = allEndpoints({ ...state, own: [...echoes] });
  return { ...manner, name: 'httpbin', router: new Router(endpoints) };
}
