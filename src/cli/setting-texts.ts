import type { Setting } from '../settings/setting.ts';
import { flagOf, variableOf } from '../settings/settings.ts';
import { SERVICE_LINK } from '../settings/unknown-variables.ts';

/**
 * Returns the text of a setting: flags override variables. Undefined if neither is set.
 *
 * @param values by flag name
 * @param onWarning called with what the user should know
 */
export function settingTexts(
  values: ReadonlyMap<string, string>,
  environment: Readonly<Record<string, string | undefined>>,
  onWarning: (text: string) => void,
): (name: string, setting: Setting<unknown>) => string | undefined {
  return (name, { commonVariable = '' }) => {
    const flag = values.get(flagOf(name));
    if (flag !== undefined) return flag;
    // An empty variable is unset: that is how env files leave one out.
    const text = environment[variableOf(name)] || environment[commonVariable] || undefined;
    if (name !== 'port' || text === undefined || !SERVICE_LINK.test(text)) return text;
    onWarning(
      `${variableOf(name)}=${text} is ignored: Kubernetes sets it for a Service named wirebin; set --port, or enableServiceLinks to false`,
    );
    return undefined;
  };
}
