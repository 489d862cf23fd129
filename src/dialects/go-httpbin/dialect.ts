import { STATUS_CODES } from 'node:http';
import { allEndpoints, offEndpoints } from '../../endpoints/all.ts';
import { range } from '../../endpoints/range.ts';
import type { Dialect, ResponseStyle } from '../../server/dialect.ts';
import type { Endpoint } from '../../server/endpoint.ts';
import { MAX_REQUESTED_CONTENT } from '../../server/payload.ts';
import { reply, text } from '../../server/reply.ts';
import { Router, type Match } from '../../server/router.ts';
import { goHttpbinHead } from './view.ts';
import { documents } from '../documents.ts';
import { encodings } from '../encodings.ts';
import { goError, goReply, goText, JSON_TYPE, TEXT_TYPE } from './answers.ts';
import { basicAndBearer, digest } from './authentication.ts';
import { base64 } from './base64.ts';
import { cookies } from './cookies.ts';
import { dumped } from './dump.ts';
import { echoes, methodEchoes, uploaded } from './echoes.ts';
import { images } from './images.ts';
import { links } from './links.ts';
import { home, operations } from './operations.ts';
import { guardedRedirect } from './redirect-to.ts';
import { headers } from './response-headers.ts';
import { status } from './status.ts';
import { timing } from './timing.ts';
import { unstable } from './unstable.ts';
import { corsForAll, forAnyMethod } from '../response-style.ts';
import { bytes } from '../bytes.ts';
import { whole } from '../params.ts';
import { GoRandom } from '../random/go.ts';
import { redirects } from '../redirects.ts';
import type { DialectState } from '../state.ts';

const manner: ResponseStyle = {
  problem({ code, status: own, message, fields }) {
    // Its router is another program than its handlers.
    if (code === 'not-found') return text('404 page not found\n', { status: own, fields });
    if (code === 'method-not-allowed') return text('Method Not Allowed\n', { status: own, fields });
    const shown = code === 'content-too-large' ? 400 : own;
    return goReply(goError(shown, STATUS_CODES[shown] ?? '', message), { status: shown, fields });
  },
  options: (_, allow) =>
    reply(TEXT_TYPE, '', { fields: allow === undefined ? [] : ['Allow', allow] }),
  addCorsFields: corsForAll('GET, POST, HEAD, PUT, DELETE, PATCH, OPTIONS'),
  lengthForHead: false,
};

/** What httpbin has, and go-httpbin has not. */
const NOT_THERE = '/digest-auth/{qop}/{user}/{passwd}/{algorithm}/{stale_after}';

/** go-httpbin 2.25. */
export function goHttpbin(state: DialectState): Dialect {
  // There, what a body may have is what is sent, too.
  const maxContent = Math.min(state.maxBodySize, MAX_REQUESTED_CONTENT);
  const ofAnyMethod: readonly Endpoint[] = [
    ...echoes,
    ...encodings(JSON_TYPE, (request, mark) => goText({ ...goHttpbinHead(request), ...mark })),
    dumped,
    ...operations(state),
    ...documents(JSON_TYPE, TEXT_TYPE),
    ...redirects,
    guardedRedirect(state.allowedRedirectDomains),
    status,
    links,
    unstable,
    ...timing(state.maxDuration, maxContent),
    ...bytes({
      n: whole({ min: 0, max: maxContent }),
      chunkSize: whole({ min: -(2 ** 31), max: 2 ** 31 - 1 }),
      seeded: (seed) => new GoRandom(seed),
    }),
    range(state.maxDuration, { type: TEXT_TYPE, etagPrefix: 'range' }),
    ...cookies,
    headers,
    ...base64(state.maxBodySize),
    ...images,
    ...basicAndBearer,
    ...digest(state.nonces),
  ];
  const overrides = [
    ...methodEchoes,
    uploaded(state.maxUploadSize),
    home(() => endpoints),
    ...ofAnyMethod.map(forAnyMethod),
  ];
  const disabled = [...(state.disabled ?? []), NOT_THERE];
  const all = { ...state, overrides, disabled };
  const endpoints: readonly Endpoint[] = allEndpoints(all);
  const routes = new Router(endpoints);
  const router = {
    // There a hole of a path is never empty, so that such a path is not there.
    find(path: string): Match | undefined {
      const match = routes.find(path);
      const isEmpty = match?.segments.includes('') && !match.endpoint.path.includes('*');
      return isEmpty ? undefined : match;
    },
  };
  return { ...manner, name: 'go-httpbin', router, disabled: new Router(offEndpoints(all)) };
}
