import { checkTogether, settings, type Naming, type Settings, type Values } from './settings.ts';
import type { Setting } from './setting.ts';
import { SettingsError } from './settings-error.ts';

/**
 * Reads every setting.
 *
 * @param textOf the text of a setting; undefined for its default
 * @param environment where `envPrefix` finds its variables
 * @throws SettingsError
 */
export function readSettings(
  textOf: (name: string, setting: Setting<unknown>) => string | undefined,
  naming: Naming,
  environment: Readonly<Record<string, string | undefined>>,
): Settings {
  const read: Record<string, unknown> = {};
  for (const [name, setting] of Object.entries<Setting<unknown>>(settings)) {
    const text = textOf(name, setting);
    read[name] = text === undefined ? setting.default : valueOf(name, setting, text, naming);
  }
  // Each name was given the value of its own setting; no mapped type can be built by steps.
  const complete = read as Values;
  checkTogether(complete, naming);
  const { envPrefix } = complete;
  const shown = envPrefix === undefined ? undefined : variablesUnder(envPrefix, environment);
  return { ...complete, environment: shown };
}

function valueOf(name: string, setting: Setting<unknown>, text: string, naming: Naming): unknown {
  const value = setting.read(text);
  if (value !== undefined) return value;
  throw new SettingsError(
    `${naming.full(name)} cannot be '${text}'; allowed: ${setting.allowed}`,
    name,
  );
}

/** The variables whose names begin so. */
function variablesUnder(
  prefix: string,
  environment: Readonly<Record<string, string | undefined>>,
): Record<string, string> {
  const entries = Object.entries(environment).flatMap(([name, value]): [string, string][] =>
    name.startsWith(prefix) && value !== undefined ? [[name, value]] : [],
  );
  return Object.fromEntries(entries);
}
