import { isDisabled } from '../../endpoints/all.ts';
import { controlEndpoints } from '../../endpoints/control.ts';
import { metricsEndpoint } from '../../endpoints/metrics.ts';
import type { Dialect } from '../../server/dialect.ts';
import { Router, type Match } from '../../server/router.ts';
import { reply } from '../../server/reply.ts';
import { goJson } from '../json.ts';
import { gatewayEchoEndpoint, health, status, webSocket } from './endpoints.ts';
import { retry } from './retry.ts';
import type { DialectState } from '../adapt.ts';

const NOSNIFF = ['X-Content-Type-Options', 'nosniff'];

/** The dialect of echo-basic from the Gateway API conformance suite: almost every path is an echo. */
export function gatewayApi(state: DialectState): Dialect {
  const { pod, metrics, control, journal, disabled = [], maxDuration } = state;
  const maxDelay = isDisabled('/delay/{n}', disabled) ? undefined : maxDuration;
  const gatewayEcho = gatewayEchoEndpoint({
    pod,
    maxDelay,
    setsFields: !isDisabled('/response-headers', disabled),
  });
  const echo: Match = { endpoint: gatewayEcho, segments: [''] };
  const routes = new Router(
    [
      health,
      status,
      ...(journal && !isDisabled('/retry/{key}', disabled)
        ? [retry(journal, gatewayEcho, maxDelay)]
        : []),
      ...(isDisabled('/websocket/echo', disabled) ? [] : [webSocket(state)]),
      ...(metrics ? [metricsEndpoint(metrics)] : []),
      ...(control ? controlEndpoints(control) : []),
    ].filter((endpoint) => !isDisabled(endpoint.path, disabled)),
  );
  const router = {
    // echo-basic merges slashes before it selects the handler.
    find: (path: string): Match | undefined =>
      isDisabled(path, disabled) ? undefined : (routes.find(path.replaceAll('//', '/')) ?? echo),
  };
  return {
    name: 'gateway-api',
    router,
    hasEveryPath: true,
    problem({ message, status: code, fields }) {
      const text = goJson({ message }, 0, true);
      return reply('application/json', text, { status: code, fields: [...fields, ...NOSNIFF] });
    },
    // OPTIONS is echoed, and no CORS fields are added, as in the original: the conformance suite tests what gateways add.
    options: () => undefined,
    addCorsFields: () => undefined,
    lengthForHead: true,
  };
}
