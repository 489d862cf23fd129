import type { PodContext } from '../dialects/gateway-api/view.ts';
import { isDisabled } from '../endpoints/all.ts';
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
  /** Paths of --disable: of methods, or of services with all of their methods. */
  readonly disabled?: readonly string[];
}

/** All that is served by gRPC. */
export function servedFiles({ readiness, pod, disabled = [] }: FilesState): readonly ServedFile[] {
  const names = (): readonly string[] =>
    files.flatMap(({ services = [] }) => services.map(({ name }) => name));
  const all: readonly ServedFile[] = [
    wirebinService,
    health(readiness, names),
    reflection('v1', () => files),
    reflection('v1alpha', () => files),
    ...testing,
    grpcbin,
    grpcEcho(pod),
  ];
  const files = disabled.length === 0 ? all : all.map((file) => enabledPart(file, disabled));
  return files;
}

/** A file without the methods that are disabled, and without services that have no others. */
function enabledPart(file: ServedFile, disabled: readonly string[]): ServedFile {
  // Others may import a file without services, as the same object.
  if (!file.services) return file;
  const services = file.services.map((service) => {
    const methods = Object.entries(service.methods).filter(
      ([name]) => !isDisabled(`/${service.name}/${name}`, disabled),
    );
    return { ...service, methods: Object.fromEntries(methods) };
  });
  return { ...file, services: services.filter(({ methods }) => Object.keys(methods).length > 0) };
}
