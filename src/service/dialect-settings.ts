import { hostname } from 'node:os';
import { isInstanceName } from '../settings/setting.ts';
import type { Settings } from '../settings/settings.ts';

/** The settings in the form that dialects and endpoints use. */
export function dialectSettingsOf(settings: Settings) {
  const { namespace = '', ingressName = '', serviceName = '', podName = '' } = settings;
  return {
    ...settings,
    hostname: settings.hostnameEnabled ? hostname() : undefined,
    disabled: settings.disable,
    pod: { namespace, ingress: ingressName, service: serviceName, pod: podName },
  };
}

/** The name of the service; undefined without one. A default name is used only if fields can contain it. */
export function instanceOf(settings: Settings): string | undefined {
  const { name, dialect, podName, hostnameEnabled } = settings;
  if (name !== undefined) return name;
  const names = [dialect === 'gateway-api' && podName, hostnameEnabled && hostname()];
  return names.find((other) => typeof other === 'string' && isInstanceName(other)) || undefined;
}
