import { STATUS_CODES } from 'node:http';
import { allEndpoints, type ServiceState } from '../endpoints/all.ts';
import type { Dialect, Manner } from '../http/dialect.ts';
import { reply, text } from '../http/reply.ts';
import { Router, type Match } from '../http/router.ts';
import { goReply } from './go-httpbin/answers.ts';
import { echoes } from './go-httpbin/echoes.ts';
import { corsForAll } from './manner.ts';

const manner: Manner = {
  problem({ code, status, message, fields }) {
    // Its router is another program than its handlers.
    if (code === 'not-found') return text('404 page not found\n', { status, fields });
    if (code === 'method-not-allowed') return text('Method Not Allowed\n', { status, fields });
    const shown = code === 'content-too-large' ? 400 : status;
    const error = { status_code: shown, error: STATUS_CODES[shown], detail: message };
    return goReply(error, { status: shown, fields });
  },
  options: (_, allow) =>
    reply('text/plain; charset=utf-8', '', { fields: allow === undefined ? [] : ['Allow', allow] }),
  addCorsFields: corsForAll('GET, POST, HEAD, PUT, DELETE, PATCH, OPTIONS'),
  lengthForHead: false,
};

/** go-httpbin 2.25. */
export function goHttpbin(state: ServiceState): Dialect {
  const routes = new Router(allEndpoints({ ...state, own: [...echoes] }));
  const router = {
    // There a hole of a path is never empty, so that such a path is not there.
    find(path: string): Match | undefined {
      const match = routes.find(path);
      const isEmpty = match?.segments.includes('') && !match.endpoint.path.includes('*');
      return isEmpty ? undefined : match;
    },
  };
  return { ...manner, name: 'go-httpbin', router };
}
