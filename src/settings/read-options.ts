import { inspect } from 'node:util';
import { settings, type Naming, type Settings } from './settings.ts';
import { nearest } from './nearest.ts';
import type { ServiceOptions } from './options.ts';
import { readSettings } from './read-settings.ts';
import type { Setting } from './setting.ts';
import { SettingsError } from './settings-error.ts';

/** The defaults that differ from the command line's: only this machine reaches a service in a test. */
export const OPTION_DEFAULTS: ReadonlyMap<string, string> = new Map([
  ['port', '0'],
  ['host', '127.0.0.1'],
]);

/** The settings of a process of its own: a service in another process uses that one and its log. */
const NO_OPTIONS: ReadonlySet<string> = new Set(['workers', 'logLevel']);

/** The settings that are options, by their names. */
export const optionNames = Object.keys(settings).filter((name) => !NO_OPTIONS.has(name));

const NAMES: Naming = { short: (name) => name, full: (name) => name };

/**
 * Checks options by the table of settings, as the command line is.
 *
 * @param environment where `envPrefix` finds its variables; no option is read from it
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
    asText(name, setting, values.get(name)) ?? OPTION_DEFAULTS.get(name);
  return readSettings(textOf, NAMES, environment);
}

/**
 * A value as the command line has it.
 *
 * @returns undefined for what is left at its default
 */
function asText(name: string, setting: Setting<unknown>, value: unknown): string | undefined {
  switch (typeof value) {
    case 'undefined':
      return undefined;
    case 'string':
    case 'number':
    case 'boolean':
      return String(value);
    default:
      if (isListOfTexts(value)) return value.length > 0 ? value.join(',') : undefined;
      throw new SettingsError(
        `${name} cannot be ${inspect(value, { depth: 0 })}; allowed: ${setting.allowed}`,
        name,
      );
  }
}

function isListOfTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((member) => typeof member === 'string');
}

function unknownOption(name: string): SettingsError {
  const near = nearest(name, optionNames);
  const hint = near === undefined ? '' : `; did you mean ${near}?`;
  return new SettingsError(`unknown option ${name}${hint}`, name);
}

/** Whoever does not use TypeScript is to learn of it here, not when something is logged. */
function checkLogger(logger: unknown): void {
  for (const method of ['error', 'warn', 'info', 'debug']) {
    const isThere =
      typeof logger === 'object' &&
      logger !== null &&
      typeof Reflect.get(logger, method) === 'function';
    if (!isThere) throw new SettingsError(`logger has no method ${method}`, 'logger');
  }
}
