import { existsSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { didYouMean, nameHint } from '../http/nearest.ts';
import type { Setting } from '../settings/setting.ts';
import { flagOf } from '../settings/settings.ts';
import { SettingsError } from '../settings/settings-error.ts';
import { unknownVariables } from '../settings/unknown-variables.ts';
import { readInput } from './files.ts';
import { parseObject } from './origin.ts';
import { errorText } from '../net/error-text.ts';

/**
 * Declarations of a command's options. Flags, environment variables and keys of its file are derived from the names.
 */
type Declared = Readonly<Record<string, Setting<unknown>>>;

/** The values of a command's options. */
export type OptionValues<D> = {
  readonly [Name in keyof D]: D[Name] extends Setting<infer T> ? T : never;
};

/** The environment variable of an option, such as `WIREBIN_CHECK_FAIL_ON`. */
export function optionVariable(command: string, name: string): string {
  return `WIREBIN_${command}_${flagOf(name)}`.toUpperCase().replaceAll('-', '_');
}

/** The configuration file of a command. Its keys are the flags without dashes. */
export function optionsFileName(command: string): string {
  return `wirebin.${command}.json`;
}

/**
 * Reads the options of a command. Flags override environment variables, which override the file.
 *
 * @throws SettingsError
 */
export function readCommandOptions<D extends Declared>(
  command: string,
  declared: D,
  args: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
): {
  readonly options: OptionValues<D>;
  readonly positionals: readonly string[];
  /** The flags among the arguments, without their dashes. */
  readonly flags: readonly string[];
  /** Warnings about environment variables that look like options, but are none. */
  readonly warnings: readonly string[];
} {
  const { flags, positionals } = parseFlags(command, declared, args);
  const path = optionsFileName(command);
  const file = readFile(path, declared);
  const read: Record<string, unknown> = {};
  for (const [name, option] of Object.entries<Setting<unknown>>(declared)) {
    const flag = flagOf(name);
    const variable = optionVariable(command, name);
    const sources = [
      [`--${flag}`, flags.get(flag)],
      [variable, environment[variable] || undefined],
      [`${flag} in ${path}`, file.get(flag)],
    ] as const;
    const [source, text] = sources.find(([, value]) => value !== undefined) ?? [];
    read[name] = text === undefined ? option.default : optionValue(source ?? '', option, text);
  }
  const known = Object.keys(declared).map((name) => optionVariable(command, name));
  const prefix = optionVariable(command, '');
  const help = `wirebin ${command} --help`;
  const warnings = unknownVariables(prefix, known, environment, help);
  // Each key has a value of its option's type. TypeScript cannot check that for a loop.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- as the comment says
  return { options: read as OptionValues<D>, positionals, flags: [...flags.keys()], warnings };
}

function optionValue(source: string, option: Setting<unknown>, text: string): unknown {
  const value = option.read(text);
  if (value !== undefined) return value;
  const shown = option.isSecret === true ? 'this' : `'${text}'`;
  throw new SettingsError(`${source} cannot be ${shown}; allowed: ${option.allowed}`);
}

function parseFlags(command: string, declared: Declared, args: readonly string[]) {
  const config = Object.fromEntries(
    Object.entries(declared).map(([name, { value, short, default: fallback }]) => [
      flagOf(name),
      {
        type: value === undefined ? ('boolean' as const) : ('string' as const),
        // A list option may be repeated. Of any other option, the last flag wins.
        ...(Array.isArray(fallback) && { multiple: true }),
        ...(short !== undefined && { short }),
      },
    ]),
  );
  expectTwoHyphens(args, Object.keys(config));
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      options: config,
      allowPositionals: true,
      allowNegative: true,
    });
    const flags = new Map(
      Object.entries(values).map(([flag, value]) => [
        flag,
        Array.isArray(value) ? value.join(separatorOf(declared, flag)) : String(value),
      ]),
    );
    return { flags, positionals };
  } catch (error) {
    const message = errorText(error);
    const [, unknown] = /^Unknown option '(.+?)'/.exec(message) ?? [];
    if (unknown === undefined) throw new SettingsError(message.replaceAll('\n', ' '));
    const names = [...Object.keys(config), 'help'];
    const otherwise = `see wirebin ${command} --help`;
    const hint = nameHint(unknown.replace(/^-+/, ''), names, otherwise, '--');
    throw new SettingsError(`unknown option ${unknown}; ${hint}`);
  }
}

/** Rejects `-only`, which would be parsed as `-o` and so on. @throws SettingsError */
function expectTwoHyphens(args: readonly string[], flags: readonly string[]): void {
  for (const arg of args) {
    const [, name = ''] = /^-(\w[\w-]+)/.exec(arg) ?? [];
    if (!flags.includes(name.replace(/^no-/, ''))) continue;
    throw new SettingsError(`unknown option -${name}; ${didYouMean(`--${name}`)}`);
  }
}

function readFile(path: string, declared: Declared): Map<string, string> {
  if (!existsSync(path)) return new Map();
  const values = parseObject(readInput(path).toString());
  if (!values) throw new SettingsError(`${path} is no JSON object`);
  const flags = new Set(Object.keys(declared).map(flagOf));
  const unknown = Object.keys(values).find((name) => !flags.has(name));
  if (unknown !== undefined) throw new SettingsError(`${path} has an unknown key ${unknown}`);
  return new Map(
    Object.entries(values).map(([name, value]) => [
      name,
      Array.isArray(value) ? value.map(textOf).join(separatorOf(declared, name)) : textOf(value),
    ]),
  );
}

function separatorOf(declared: Declared, flag: string): string {
  const name = Object.keys(declared).find((each) => flagOf(each) === flag) ?? flag;
  return declared[name]?.separator ?? ',';
}

const textOf = (value: unknown): string =>
  typeof value === 'string' ? value : JSON.stringify(value);

const INDENT = ' '.repeat(28);

/** The options and variables of a command, for its `--help`. */
export function optionsHelp(command: string, declared: Declared): string {
  const rows = Object.entries(declared).map(([name, { value, short, help, defaultText }]) => {
    const flag = `--${flagOf(name)}${value === undefined ? '' : ` ${value}`}`;
    const letter = short === undefined ? '' : `-${short},`;
    const label = `  ${letter.padEnd(4)}${flag} `;
    const text = `${help}${defaultText === '' ? '' : ` [${defaultText}]`}`;
    const first =
      label.length > INDENT.length
        ? `${label.trimEnd()}\n${INDENT}${text}`
        : `${label.padEnd(INDENT.length)}${text}`;
    return `${first}\n${INDENT}${optionVariable(command, name)}`;
  });
  return rows.join('\n');
}
