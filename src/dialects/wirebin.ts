import { allEndpoints, offEndpoints, type ServiceState } from '../endpoints/all.ts';
import type { Dialect } from '../server/dialect.ts';
import { Router } from '../server/router.ts';
import { empty, problemReply } from '../server/reply.ts';
import { addCorsFields } from '../server/response-fields.ts';

/** A dialect that responds as wirebin: problem details (RFC 9457), 204 for OPTIONS, CORS fields for requests with Origin. */
export function likeWirebin(
  routes: Pick<Dialect, 'name' | 'router' | 'disabled' | 'ownDialect'>,
): Dialect {
  return {
    ...routes,
    problem: problemReply,
    options: (_, allow) => (allow === undefined ? undefined : empty(204, ['Allow', allow])),
    addCorsFields,
    lengthForHead: true,
    optionalFields: true,
  };
}

export function wirebin(state: ServiceState): Dialect {
  const endpoints = allEndpoints(state);
  return likeWirebin({
    name: 'wirebin',
    router: new Router(endpoints),
    disabled: offEndpoints(endpoints, state),
  });
}
