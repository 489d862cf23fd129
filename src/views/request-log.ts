import { millisecondsSince } from '../kit/duration.ts';
import type { Observe } from '../http/dispatch.ts';
import { protocolOf } from '../http/exchange.ts';
import type { Log } from '../kit/log.ts';

/** Logs a request by its path or its pattern alone: queries and fields may hold secrets. */
export function logRequest(log: Log, ...[exchange, endpoint, status]: Parameters<Observe>): void {
  const { method, target, connection, ordinal, receivedAt } = exchange;
  log.info(
    {
      method,
      path: endpoint?.secretPath === true ? endpoint.path : target?.path,
      endpoint: endpoint?.id,
      status,
      protocol: protocolOf(exchange),
      conn: connection.id,
      request: ordinal,
      duration_ms: millisecondsSince(receivedAt),
    },
    'request',
  );
}
