import { allEndpoints, offEndpoints, type ServiceState } from '../endpoints/all.ts';
import { Router, type Dialect, type ResponseStyle } from '../server/router.ts';
import { empty, problemReply } from '../server/reply.ts';
import { addCorsFields } from '../server/response-fields.ts';

/** wirebin's response style: problem details (RFC 9457), 204 for OPTIONS, CORS fields for requests with Origin. */
export const wirebinStyle: ResponseStyle = {
  problem: problemReply,
  options: (_, allow) => (allow === undefined ? undefined : empty(204, ['Allow', allow])),
  addCorsFields,
  lengthForHead: true,
  optionalFields: true,
};

export function wirebin(state: ServiceState): Dialect {
  const endpoints = allEndpoints(state);
  return {
    ...wirebinStyle,
    name: 'wirebin',
    router: new Router(endpoints),
    disabled: offEndpoints(endpoints, state),
  };
}
