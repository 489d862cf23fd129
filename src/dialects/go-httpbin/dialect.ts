import { STATUS_CODES } from 'node:http';
import { allEndpoints, offEndpoints } from '../../endpoints/all.ts';
import { range } from '../../endpoints/range.ts';
import type { Dialect, ResponseStyle } from '../../server/dialect.ts';
import type { Endpoint } from '../../server/endpoint.ts';
import { MAX_REQUESTED_CONTENT } from '../../server/payload.ts';
import { reply, text } from '../../server/reply.ts';
import { Router, type Match } from '../../server/router.ts';
import { goHttpbinGetView } from './view.ts';
import { documents } from '../documents.ts';
import { encodings } from '../encodings.ts';
import { goError, goReply, goJsonText, JSON_TYPE, TEXT_TYPE } from './replies.ts';
import { basicAndBearer, digest } from './authentication.ts';
import { base64 } from './base64.ts';
import { cookies } from './cookies.ts';
import { dumpRequest } from './dump.ts';
import { echoes, methodEchoes, uploadEndpoint } from './echoes.ts';
import { images } from './images.ts';
import { links } from './links.ts';
import { indexEndpoint, operations } from './operations.ts';
import { restrictedRedirect } from './redirect-to.ts';
import { responseHeaders } from './response-headers.ts';
import { status } from './status.ts';
import { timing } from './timing.ts';
import { unstable } from './unstable.ts';
import { corsForAll, forAnyMethod } from '../response-style.ts';
import { bytes } from '../bytes.ts';
import { goInteger } from '../params.ts';
import { GoRandom } from '../random/go.ts';
import { redirects } from '../redirects.ts';
import type { DialectState } from '../state.ts';

const style: ResponseStyle = {
  problem({ code, status: standard, message, fields }) {
    // The original's router responds in plain text, its handlers in JSON.
    if (code === 'not-found') return text('404 page not found\n', { status: standard, fields });
    if (code === 'method-not-allowed') {
      return text('Method Not Allowed\n', { status: standard, fields });
    }
    const goStatus = code === 'content-too-large' ? 400 : standard;
    const content = goError(goStatus, STATUS_CODES[goStatus] ?? '', message);
    return goReply(content, { status: goStatus, fields });
  },
  options: (_, allow) =>
    reply(TEXT_TYPE, '', { fields: allow === undefined ? [] : ['Allow', allow] }),
  addCorsFields: corsForAll('GET, POST, HEAD, PUT, DELETE, PATCH, OPTIONS'),
  lengthForHead: false,
};

/** An endpoint of httpbin that go-httpbin does not have. */
const NOT_IN_GO_HTTPBIN = '/digest-auth/{qop}/{user}/{passwd}/{algorithm}/{stale_after}';

/** go-httpbin 2.25. */
export function goHttpbin(state: DialectState): Dialect {
  // In the original the maximum body size also limits responses.
  const maxContent = Math.min(state.maxBodySize, MAX_REQUESTED_CONTENT);
  const anyMethod: readonly Endpoint[] = [
    ...echoes,
    ...encodings(JSON_TYPE, (request, coding) =>
      goJsonText({ ...goHttpbinGetView(request), ...coding }),
    ),
    dumpRequest,
    ...operations(state),
    ...documents(JSON_TYPE, TEXT_TYPE),
    ...redirects,
    restrictedRedirect(state.allowedRedirectDomains),
    status,
    links,
    unstable,
    ...timing(state.maxDuration, maxContent),
    ...bytes({
      n: goInteger({ min: 0, max: maxContent }),
      chunkSize: goInteger({ min: -(2 ** 31), max: 2 ** 31 - 1 }),
      createRandom: (seed) => new GoRandom(seed),
    }),
    range(state.maxDuration, { type: TEXT_TYPE, etagPrefix: 'range' }),
    ...cookies,
    responseHeaders,
    ...base64(state.maxBodySize),
    ...images,
    ...basicAndBearer,
    ...digest(state.nonces),
  ];
  const overrides = [
    ...methodEchoes,
    uploadEndpoint(state.maxUploadSize),
    indexEndpoint(() => endpoints),
    ...anyMethod.map(forAnyMethod),
  ];
  const disabled = [...(state.disabled ?? []), NOT_IN_GO_HTTPBIN];
  const all = { ...state, overrides, disabled };
  const endpoints: readonly Endpoint[] = allEndpoints(all);
  const routes = new Router(endpoints);
  const router = {
    // Path parameters are never empty in Go's ServeMux: such a path is 404.
    find(path: string): Match | undefined {
      const match = routes.find(path);
      const isEmpty = match?.segments.includes('') && !match.endpoint.path.includes('*');
      return isEmpty ? undefined : match;
    },
  };
  return { ...style, name: 'go-httpbin', router, disabled: new Router(offEndpoints(all)) };
}
