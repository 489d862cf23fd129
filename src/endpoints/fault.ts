import { endpoint, type Endpoint } from '../server/endpoint.ts';
import type { QueryPairs } from '../http/query.ts';
import { FAULT_NAMES, type FaultName } from '../server/fault.ts';
import { described, oneOf } from '../server/params.ts';
import type { Reply } from '../server/reply.ts';
import type { Request } from '../server/request.ts';
import { faultKinds } from './fault/kinds.ts';

/** Makes the reply of `/fault/{name}`. Parameters that the query lacks have their defaults. */
export type FaultReplies = (
  name: FaultName,
  request: Request,
  query?: QueryPairs,
) => Reply | Promise<Reply>;

/** @param maxDuration maximum of delays and other durations, in seconds */
export function faultReplies(maxDuration: number): FaultReplies {
  const kinds = faultKinds(maxDuration);
  return (name, request, query = []) => kinds[name].reply(request, query);
}

/** @param maxDuration maximum of delays and other durations, in seconds */
export function faults(maxDuration: number): readonly Endpoint[] {
  const kinds = faultKinds(maxDuration);
  return [
    ...FAULT_NAMES.map((name) => kinds[name].endpoint),
    // Responds to unknown kinds only, because the router prefers paths without parameters.
    endpoint({
      path: '/fault/{kind}',
      methods: 'any',
      group: 'faults',
      summary: 'Any of the faults above; lists them in the error if there is no such fault.',
      params: { kind: described('The fault.', oneOf(FAULT_NAMES)) },
      // The endpoint of the kind checks them.
      strictQuery: false,
      responses: {},
      handle: ({ request, params: { kind }, content }) =>
        kinds[kind].endpoint.respond(request, [], content),
    }),
  ];
}
