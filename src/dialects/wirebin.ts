import { allEndpoints, offEndpoints, type ServiceState } from '../endpoints/all.ts';
import { optionsFields } from '../server/allow.ts';
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
    options: (_, target) => target && empty(204, optionsFields(target)),
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
