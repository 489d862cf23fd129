import { millisecondsSince } from '../server/duration.ts';
import type { Observe } from '../server/dispatch.ts';
import { protocolOf } from '../server/request.ts';
import type { Log } from './log.ts';

/** Logs a request without its query and headers, and a secret path as its pattern. */
export function logRequest(log: Log, ...[exchange, endpoint, status]: Parameters<Observe>): void {
  const { method, target, connection, requestNumber, receivedAt } = exchange;
  log.info(
    {
      method,
      path: endpoint?.secretPath === true ? endpoint.path : target?.path,
      endpoint: endpoint?.id,
      status,
      protocol: protocolOf(exchange),
      conn: connection.id,
      request: requestNumber,
      duration_ms: millisecondsSince(receivedAt),
    },
    'request',
  );
}
