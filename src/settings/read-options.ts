import { inspect } from 'node:util';
import { settings, type Naming, type Settings } from './settings.ts';
import { didYouMean, nearest } from '../http/nearest.ts';
import type { ServiceOptions } from './options.ts';
import { readSettings } from './read-settings.ts';
import type { Setting } from './setting.ts';
import { SettingsError } from './settings-error.ts';

/** Defaults of options that differ from the command line: only this machine can reach the service. */
export const OPTION_DEFAULTS: ReadonlyMap<string, string> = new Map([
  ['port', '0'],
  ['host', '127.0.0.1'],
]);

/**
 * Settings that only the command line has: an embedded service has no workers and no log, and keeps its certificate in
 * memory.
 */
const COMMAND_LINE_ONLY: ReadonlySet<string> = new Set(['workers', 'certs', 'logLevel']);

export const optionNames = Object.keys(settings).filter((name) => !COMMAND_LINE_ONLY.has(name));

const NAMES: Naming = { short: (name) => name, full: (name) => name };

/**
 * Validates the options of `createService()` like the command line.
 *
 * @param environment from which `envPrefix` selects variables; options are not read from it
 * @throws SettingsError
 */
export function readOptions(
  { logger, ...options }: ServiceOptions,
  environment: Readonly<Record<string, string | undefined>>,
): Settings {
  if (logger !== undefined) checkLogger(logger);
  const values = new Map<string, unknown>(Object.entries(options));
  for (const name of values.keys()) {
    if (!optionNames.includes(name)) throw unknownOption(name);
  }
  const textOf = (name: string, setting: Setting<unknown>): string | undefined =>
    toText(name, setting, values.get(name)) ?? OPTION_DEFAULTS.get(name);
  return readSettings(textOf, NAMES, environment);
}

/** Converts a value to command-line syntax; undefined if the default applies. */
function toText(name: string, setting: Setting<unknown>, value: unknown): string | undefined {
  switch (typeof value) {
    case 'undefined':
      return undefined;
    case 'string':
    case 'number':
    case 'boolean':
      return String(value);
    default:
      if (isStringArray(value))
        return value.length > 0 ? value.join(setting.separator ?? ',') : undefined;
      throw new SettingsError(
        `${name} cannot be ${inspect(value, { depth: 0 })}; allowed: ${setting.allowed}`,
        name,
      );
  }
}

function isStringArray(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((member) => typeof member === 'string');
}

function unknownOption(name: string): SettingsError {
  const near = nearest(name, optionNames);
  const hint = near === undefined ? '' : `; ${didYouMean(near)}`;
  return new SettingsError(`unknown option ${name}${hint}`, name);
}

/** Reports a missing method early, for callers without TypeScript. */
function checkLogger(logger: unknown): void {
  for (const method of ['error', 'warn', 'info', 'debug']) {
    const hasMethod =
      typeof logger === 'object' &&
      logger !== null &&
      typeof Reflect.get(logger, method) === 'function';
    if (!hasMethod) throw new SettingsError(`logger has no method ${method}`, 'logger');
  }
}
