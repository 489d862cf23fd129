import { allEndpoints, offEndpoints, type ServiceState } from '../endpoints/all.ts';
import type { Dialect, Manner } from '../http/dialect.ts';
import { empty, problemReply } from '../http/reply.ts';
import { addCorsFields } from '../http/response-fields.ts';
import { Router } from '../http/router.ts';

/** How wirebin itself speaks: problems of RFC 9457, 204 for OPTIONS, CORS where it is asked for. */
export const plainManner: Manner = {
  problem: problemReply,
  options: (_, allow) => (allow === undefined ? undefined : empty(204, ['Allow', allow])),
  addCorsFields,
  lengthForHead: true,
};

export function wirebin(state: ServiceState): Dialect {
  return {
    ...plainManner,
    name: 'wirebin',
    router: new Router(allEndpoints(state)),
    off: new Router(offEndpoints(state)),
  };
}
