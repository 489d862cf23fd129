import { parseArgs } from 'node:util';
import { FLAGS, flagOf, settings } from '../settings/settings.ts';
import { nameHint } from '../http/nearest.ts';
import type { Setting } from '../settings/setting.ts';
import { SettingsError } from '../settings/settings-error.ts';

/** A parsed command line. */
export interface Arguments {
  /** `help` or `version` if such an option is given; otherwise undefined. */
  readonly command: Command | undefined;
  readonly positionals: readonly Positional[];
  /** Whether a setting of the service is among the options. */
  readonly hasSettings: boolean;
  /**
   * Reads the value of each flag, by flag name. If a flag is repeated, the last one wins, unless the setting has a
   * separator.
   *
   * @throws SettingsError for an invalid option
   */
  readonly values: () => ReadonlyMap<string, string>;
}

/** An argument that is neither an option nor the value of one. */
export interface Positional {
  readonly value: string;
  readonly index: number;
}

/** Options that are not settings, by short option. */
const COMMANDS = { h: 'help', v: 'version' } as const;
type Command = (typeof COMMANDS)[keyof typeof COMMANDS];
const commands: readonly Command[] = Object.values(COMMANDS);

const declared = Object.entries<Setting<unknown>>(settings);
const flags = new Map(declared.map(([name, setting]) => [flagOf(name), { name, setting }]));
const toggles = declared.filter(([, { value }]) => value === undefined);
/** Negated flags: `no-tap` → `tap`. */
const negations = new Map(toggles.map(([name]) => [`no-${flagOf(name)}`, flagOf(name)]));

/** Parses the options of a command line: `--port 1`, `--port=1`, `-p 1`, `-p1`, `--tap`, `--no-tap`. */
export function readArguments(args: readonly string[]): Arguments {
  const { tokens } = tokenize(args);
  const positionals = tokens.filter((token) => token.kind === 'positional');
  const options = tokens.filter((token) => token.kind === 'option');
  const command = commands.find((name) => options.some((option) => option.name === name));
  const hasSettings = options.some(({ name }) => flags.has(name) || negations.has(name));
  return { command, positionals, hasSettings, values: () => valuesOf(options, args) };
}

/** Whether a setting has this flag. */
export function isFlag(name: string): boolean {
  return flags.has(name);
}

interface Option {
  readonly name: string;
  /** The option as written, with dashes. */
  readonly rawName: string;
  readonly value: string | undefined;
  readonly inlineValue: boolean | undefined;
  /** The index of the argument that contains the option. */
  readonly index: number;
}

function valuesOf(options: readonly Option[], args: readonly string[]): Map<string, string> {
  const values = new Map<string, string>();
  for (const option of options) {
    const [flag, value] = flagAndValue(option, args[option.index] ?? '');
    const before = values.get(flag);
    const separator = flags.get(flag)?.setting.separator;
    const isAdded = before !== undefined && separator !== undefined;
    values.set(flag, isAdded ? before + separator + value : value);
  }
  return values;
}

/** Splits the command line by parseArgs in non-strict mode: its strict mode has error messages of its own. */
function tokenize(args: readonly string[]) {
  const options: Record<string, { type: 'string' | 'boolean'; short?: string }> = {};
  for (const [short, name] of Object.entries(COMMANDS)) options[name] = { type: 'boolean', short };
  for (const [flag, { setting }] of flags) {
    const { value, short } = setting;
    options[flag] = { type: value === undefined ? 'boolean' : 'string', ...(short && { short }) };
  }
  const config = { options, strict: false, allowPositionals: true, tokens: true } as const;
  return parseArgs({ args: [...args], ...config });
}

/** @param argument the whole argument that contains the option */
function flagAndValue(option: Option, argument: string): [flag: string, value: string] {
  const { name, rawName, value, inlineValue = false } = option;
  const [, longName = ''] = /^-(\w[\w-]+)/.exec(argument) ?? [];
  // Rejects `-port`, which Go programs accept: it would be parsed as `-p` with the value `ort`.
  if (flags.has(longName) || negations.has(longName)) throw unknownOption(`-${longName}`);
  const flag = flags.get(name);
  if (flag === undefined) {
    const negated = negations.get(name);
    if (negated === undefined) throw unknownOption(rawName);
    if (value !== undefined) throw new SettingsError(`${rawName} takes no value`);
    return [negated, 'false'];
  }
  const { setting } = flag;
  if (setting.value === undefined) return [name, value ?? 'true'];
  // A dash before a non-digit begins the next option. Such a value can be given as `--host=-x`.
  if (value === undefined || (!inlineValue && /^-\D/.test(value))) {
    const message = `${FLAGS.full(flag.name)} requires a value; allowed: ${setting.allowed}`;
    throw new SettingsError(message, flag.name);
  }
  return [name, value];
}

/** @param rawName the option with its dashes */
function unknownOption(rawName: string): SettingsError {
  // `--h` is --help rather than --host.
  const names = [...commands, ...flags.keys(), ...negations.keys()];
  const hint = nameHint(rawName.replace(/^-+/, '').toLowerCase(), names, 'see --help', '--');
  return new SettingsError(`unknown option ${rawName}; ${hint}`);
}
