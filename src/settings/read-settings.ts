import { checkCombinations } from './combinations.ts';
import { settings, variableOf, type Naming, type Settings, type Values } from './settings.ts';
import type { Setting } from './setting.ts';
import { SettingsError } from './settings-error.ts';

/**
 * Reads every setting.
 *
 * @param textOf returns the text of a setting, or undefined for the default
 * @param environment source of the variables that `envPrefix` selects
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
  // Each key has a value of its setting's type. TypeScript cannot check that for a loop.
  const complete = read as Values;
  checkCombinations(complete, naming);
  const { envPrefix, lean } = complete;
  const exposed = envPrefix === undefined ? undefined : variablesWith(envPrefix, environment);
  const h2Engine = complete.h2Engine ?? (lean ? 'wirebin' : 'node');
  return { ...complete, h2Engine, environment: exposed };
}

function valueOf(name: string, setting: Setting<unknown>, text: string, naming: Naming): unknown {
  const value = setting.read(text);
  if (value !== undefined) return value;
  const shown = setting.isSecret === true ? 'this' : `'${text}'`;
  throw new SettingsError(
    `${naming.full(name)} cannot be ${shown}; allowed: ${setting.allowed}`,
    name,
  );
}

const SECRET_VARIABLES: ReadonlySet<string> = new Set(
  Object.entries<Setting<unknown>>(settings).flatMap(([name, { isSecret }]) =>
    isSecret === true ? [variableOf(name)] : [],
  ),
);

function variablesWith(
  prefix: string,
  environment: Readonly<Record<string, string | undefined>>,
): Record<string, string> {
  const entries = Object.entries(environment).flatMap(([name, value]): [string, string][] =>
    name.startsWith(prefix) && value !== undefined && !SECRET_VARIABLES.has(name)
      ? [[name, value]]
      : [],
  );
  return Object.fromEntries(entries);
}
