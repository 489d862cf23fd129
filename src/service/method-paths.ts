import { isDisabled } from '../endpoints/all.ts';
import { isMethodPath } from '../grpc/method-path.ts';
import { SettingsError } from '../settings/settings-error.ts';
import type { Settings } from '../settings/settings.ts';
import { dialectSettingsOf } from './dialect-settings.ts';

/**
 * Checks the paths of settings that name a service or a method of gRPC, which is loaded only if there are any.
 *
 * @throws SettingsError for a path that no method has
 */
export async function checkMethodPaths(settings: Settings): Promise<void> {
  const { disable, chaosPaths, dialect } = settings;
  // With gateway-api, every path is served.
  const paths = [...disable, ...(dialect === 'gateway-api' ? [] : chaosPaths)].filter(isMethodPath);
  if (paths.length === 0) return;
  const { servedFiles } = await import('../grpc/files.ts');
  const { pod } = dialectSettingsOf(settings);
  const files = servedFiles({ readiness: () => 'ready', pod });
  const served = files
    .flatMap((file) => file.services ?? [])
    .flatMap(({ name, methods }) => Object.keys(methods).map((method) => `/${name}/${method}`));
  const unknown = paths.find((path) => !served.some((method) => isDisabled(method, [path])));
  if (unknown === undefined) return;
  const setting = disable.includes(unknown) ? 'disable' : 'chaosPaths';
  throw new SettingsError(`no method of gRPC has the path ${unknown}`, setting);
}
