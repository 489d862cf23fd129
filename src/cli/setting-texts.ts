import type { Setting } from '../settings/setting.ts';
import { flagOf, variableOf } from '../settings/settings.ts';
import { SERVICE_LINK } from '../settings/unknown-variables.ts';

/**
 * The text of a setting: the flag, or else the environment variable; undefined without both.
 *
 * @param values flags by name
 * @param onWarning called with warnings for the user
 */
export function settingTexts(
  values: ReadonlyMap<string, string>,
  environment: Readonly<Record<string, string | undefined>>,
  onWarning: (text: string) => void,
): (name: string, setting: Setting<unknown>) => string | undefined {
  return (name, { commonVariable = '' }) => {
    const flag = values.get(flagOf(name));
    if (flag !== undefined) return flag;
    // An empty variable counts as unset, which is how env files omit one.
    const text = environment[variableOf(name)] || environment[commonVariable] || undefined;
    if (name !== 'port' || text === undefined || !SERVICE_LINK.test(text)) return text;
    onWarning(
      `${variableOf(name)}=${text} is ignored: Kubernetes sets it for a Service named wirebin; set --port, or enableServiceLinks to false`,
    );
    return undefined;
  };
}
