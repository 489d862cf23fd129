import { parseArgs } from 'node:util';
import { FLAGS, flagOf, settings } from '../settings/settings.ts';
import { nearest } from '../settings/nearest.ts';
import type { Setting } from '../settings/setting.ts';
import { SettingsError } from '../settings/settings-error.ts';

/** What stands on a command line. */
export interface Arguments {
  /** What is asked for instead of the service. */
  readonly command: Command | undefined;
  /** The text of each flag that is given, by its name; the last one of a repeated flag. */
  readonly texts: ReadonlyMap<string, string>;
  /** What is no option. */
  readonly positionals: readonly string[];
}

/** The options that are no settings, by their letters. */
const COMMANDS = { h: 'help', v: 'version' } as const;
type Command = (typeof COMMANDS)[keyof typeof COMMANDS];
const commands: readonly Command[] = Object.values(COMMANDS);

const declared = Object.entries<Setting<unknown>>(settings);
const flags = new Map(declared.map(([name, setting]) => [flagOf(name), { name, setting }]));
const toggles = declared.filter(([, { value }]) => value === undefined);
/** `no-tap` → `tap` */
const negations = new Map(toggles.map(([name]) => [`no-${flagOf(name)}`, flagOf(name)]));

/**
 * Reads the options of a command line: `--port 1`, `--port=1`, `-p 1`, `-p1`, `--tap`, `--no-tap`.
 *
 * @throws SettingsError unless it asks for help or the version, whatever else it has
 */
export function readArguments(args: readonly string[]): Arguments {
  const { tokens, positionals } = parsed(args);
  const options = tokens.filter((token) => token.kind === 'option');
  const command = commands.find((name) => options.some((option) => option.name === name));
  const texts = new Map<string, string>();
  if (command === undefined) {
    for (const option of options) {
      const [flag, text] = textOf(option, args[option.index] ?? '');
      texts.set(flag, text);
    }
  }
  return { command, texts, positionals };
}

/** Not strict, as parseArgs has words of its own for what is wrong then. */
function parsed(args: readonly string[]) {
  const options: Record<string, { type: 'string' | 'boolean'; short?: string }> = {};
  for (const [short, name] of Object.entries(COMMANDS)) options[name] = { type: 'boolean', short };
  for (const [flag, { setting }] of flags) {
    const { value, short } = setting;
    options[flag] = { type: value === undefined ? 'boolean' : 'string', ...(short && { short }) };
  }
  const config = { options, strict: false, allowPositionals: true, tokens: true } as const;
  return parseArgs({ args: [...args], ...config });
}

interface Option {
  readonly name: string;
  /** The name as it was written. */
  readonly rawName: string;
  readonly value: string | undefined;
  readonly inlineValue: boolean | undefined;
}

/**
 * The flag and its text.
 *
 * @param written the argument that the option stands in
 */
function textOf(option: Option, written: string): [flag: string, text: string] {
  const { name, rawName, value, inlineValue = false } = option;
  const [, meant = ''] = /^-(\w[\w-]+)/.exec(written) ?? [];
  // Go's programs take `-port`; here it would be `-p` with the value `ort`.
  if (flags.has(meant) || negations.has(meant)) throw unknownOption(`-${meant}`);
  const flag = flags.get(name);
  if (flag === undefined) {
    const negated = negations.get(name);
    if (negated === undefined) throw unknownOption(rawName);
    if (value !== undefined) throw new SettingsError(`${rawName} takes no value`);
    return [negated, 'false'];
  }
  const { setting } = flag;
  if (setting.value === undefined) return [name, value ?? 'true'];
  // What begins with a dash and is no number is the next option; `--host=-x` is how to say it.
  if (value === undefined || (!inlineValue && /^-\D/.test(value))) {
    const message = `${FLAGS.full(flag.name)} needs a value; allowed: ${setting.allowed}`;
    throw new SettingsError(message, flag.name);
  }
  return [name, value];
}

/** @param written with its dashes */
function unknownOption(written: string): SettingsError {
  const names = [...flags.keys(), ...negations.keys(), ...commands];
  const near = nearest(written.replace(/^-+/, ''), names);
  const hint = near === undefined ? 'see --help' : `did you mean --${near}?`;
  return new SettingsError(`unknown option ${written}; ${hint}`);
}
