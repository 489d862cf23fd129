import type { PodContext } from '../dialects/gateway-api/view.ts';
import type { Readiness } from '../server/control.ts';
import type { ServedFile } from './service.ts';
import { grpcEcho } from './services/grpc-echo.ts';
import { grpcbin } from './services/grpcbin.ts';
import { health } from './services/health.ts';
import { reflection } from './services/reflection.ts';
import { testing } from './services/testing.ts';
import { wirebinService } from './services/wirebin.ts';

/** Settings and state of the running service that services of gRPC use. */
export interface FilesState {
  readonly readiness: () => Readiness;
  readonly pod: PodContext;
}

/** All that is served by gRPC. */
export function servedFiles({ readiness, pod }: FilesState): readonly ServedFile[] {
  const names = (): readonly string[] =>
    files.flatMap(({ services = [] }) => services.map(({ name }) => name));
  const files: readonly ServedFile[] = [
    wirebinService,
    health(readiness, names),
    reflection('v1', () => files),
    reflection('v1alpha', () => files),
    ...testing,
    grpcbin,
    grpcEcho(pod),
  ];
  return files;
}
