import { allEndpoints, offEndpoints, ownEndpoints } from '../../endpoints/all.ts';
import type { Endpoint } from '../../server/endpoint.ts';
import type { Dialect } from '../../server/dialect.ts';
import { Router } from '../../server/router.ts';
import { adapt, type DialectState } from '../adapt.ts';
import { likeWirebin } from '../wirebin.ts';
import { authentication } from './authentication.ts';
import { overrides } from './endpoints.ts';

const inherited = `
  /response-headers /tls /http1 /http2
  /env /hostname /version /healthz /readyz /control/ready /control/drain /control/exit /metrics /connections /tap /openapi.json /problems/{code}
`;

/** The dialect of Postman Echo, with wirebin's errors. */
export function postmanEcho(state: DialectState): Dialect {
  const adapted = adapt({
    inherited,
    overrides: overrides(state, () => endpoints),
    added: authentication(state.nonces),
  });
  const endpoints: readonly Endpoint[] = allEndpoints(state, adapted);
  return likeWirebin({
    name: 'postman-echo',
    router: new Router(endpoints),
    disabled: offEndpoints(endpoints, state, adapted),
    ownDialect: ownEndpoints(state),
  });
}
