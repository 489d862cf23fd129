import { turns } from '../../net/scheduler.ts';
import type { Readiness } from '../../server/control.ts';
import { GrpcStatus } from '../../wire/grpc/status.ts';
import { field, map, message } from '../../wire/protobuf/message.ts';
import { enumeration, STRING } from '../../wire/protobuf/types.ts';
import { Changes } from '../changes.ts';
import { serverStreaming, unary, type ServedFile } from '../service.ts';

const Status = enumeration('grpc.health.v1.HealthCheckResponse.ServingStatus', {
  UNKNOWN: 0,
  SERVING: 1,
  NOT_SERVING: 2,
  SERVICE_UNKNOWN: 3,
});
const { SERVING, NOT_SERVING, SERVICE_UNKNOWN } = Status.values;
const HealthCheckRequest = message('grpc.health.v1.HealthCheckRequest', {
  service: field(1, STRING, 'Empty for the whole server.'),
});
const HealthCheckResponse = message('grpc.health.v1.HealthCheckResponse', {
  status: field(1, Status),
});
const HealthListRequest = message('grpc.health.v1.HealthListRequest', {});
const HealthListResponse = message('grpc.health.v1.HealthListResponse', {
  statuses: map(1, STRING, HealthCheckResponse),
});

/**
 * gRPC's health checks (grpc/grpc doc/health-checking.md). All services are serving while /readyz succeeds.
 *
 * @param names returns the full names of all services
 */
export function health(readiness: () => Readiness, names: () => readonly string[]): ServedFile {
  let known: ReadonlySet<string> | undefined;
  const isKnown = (name: string): boolean => (known ??= new Set(['', ...names()])).has(name);
  const current = (): number => (readiness() === 'ready' ? SERVING : NOT_SERVING);
  const changes = new Changes(readiness);
  const check = unary(HealthCheckRequest, HealthCheckResponse, ({ service = '' }) => {
    if (isKnown(service)) return { status: current() };
    throw new GrpcStatus('NOT_FOUND', `there is no service ${service}`);
  });
  const list = unary(HealthListRequest, HealthListResponse, () => ({
    statuses: new Map(['', ...names()].map((name) => [name, { status: current() }])),
  }));
  const watch = serverStreaming(
    HealthCheckRequest,
    HealthCheckResponse,
    async function* ({ service = '' }, { signal, request }) {
      let sent: number | undefined;
      while (!signal.aborted) {
        const seen = readiness();
        const status = isKnown(service) ? current() : SERVICE_UNKNOWN;
        if (status !== sent) yield { status };
        sent = status;
        // A call that does not end would hold up the drain until its time limit.
        if (seen === 'draining') throw new GrpcStatus('UNAVAILABLE', 'draining');
        await changes.after(seen, signal);
        // Thousands may watch.
        await turns.waitForTurn(request.connection);
      }
    },
  );
  return {
    name: 'grpc/health/v1/health.proto',
    package: 'grpc.health.v1',
    enums: [Status],
    messages: [HealthCheckRequest, HealthCheckResponse, HealthListRequest, HealthListResponse],
    services: [
      { name: 'grpc.health.v1.Health', methods: { Check: check, List: list, Watch: watch } },
    ],
  };
}
