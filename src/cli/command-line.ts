import { isFlag, readArguments, type Arguments } from './arguments.ts';
import { didYouMean, meantOrigins, nearest } from '../http/nearest.ts';
import { originalVariables } from './original-variables.ts';
import { npmHint, npmWarnings } from './npm-start.ts';
import { FLAGS, settings, variableOf, type Settings } from '../settings/settings.ts';
import { readSettings } from '../settings/read-settings.ts';
import { settingTexts } from './setting-texts.ts';
import { SettingsError } from '../settings/settings-error.ts';
import { quoted } from '../pages/curl.ts';
import { unknownVariables } from '../settings/unknown-variables.ts';

/** The command to run, and its input. */
export type Invocation =
  | {
      readonly command: 'serve';
      readonly settings: Settings;
      /** Warnings that are logged when the service listens. */
      readonly warnings: readonly string[];
    }
  | { readonly command: 'check' | 'bench' | 'completion'; readonly args: readonly string[] }
  | { readonly command: 'help' }
  | { readonly command: 'version' };

/** All commands. Those with options of their own have to be the first argument. */
const COMMANDS = ['serve', 'check', 'bench', 'health', 'completion'];
const OWN_OPTIONS = new Set(['check', 'bench', 'health']);

/** Words of other programs, and those that follow `check`. */
const SYNONYMS: ReadonlyMap<string, readonly string[]> = new Map([
  ['start', ['serve']],
  ['run', ['serve']],
  ['listen', ['serve']],
  ['explain', ['check', 'explain']],
  ['show', ['check', 'show']],
  ['diff', ['check', 'diff']],
]);

/**
 * Reads command line and environment. Flags override environment variables, which override defaults.
 *
 * @param program how the user has called this program
 * @throws SettingsError
 */
export function readInvocation(
  args: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
  program = 'wirebin',
): Invocation {
  const [first = '', ...rest] = args;
  if (first === 'check' || first === 'bench') return { command: first, args: rest };
  const { command, values, positionals, hasSettings } = readArguments(args);
  if (command !== undefined) return { command };
  const [word = 'serve', ...extra] = positionals.map(({ value }) => value);
  if (word === 'completion') return { command: 'completion', args: extra };
  const typed = { args, positionals, hasSettings, environment, program };
  // Its options are not those of serve.
  if (word === first || OWN_OPTIONS.has(word)) expectCommand(word, typed);
  expectNoHyphens(typed);
  const flags = values();
  expectCommand(word, typed);
  if (extra.length > 0) throw unexpected('unexpected argument', extra, typed);
  const warnings = [...npmWarnings(environment), ...variableWarnings(environment)];
  const textOf = settingTexts(flags, environment, (warning) => warnings.push(warning));
  const given = new Set<string>();
  const noted: typeof textOf = (name, setting) => {
    const text = textOf(name, setting);
    if (text !== undefined) given.add(name);
    return text;
  };
  const read = readSettings(noted, FLAGS, environment);
  warnings.push(...originalVariables(read.dialect, environment, given));
  return { command: 'serve', settings: read, warnings };
}

interface Typed extends Pick<Arguments, 'positionals' | 'hasSettings'> {
  readonly args: readonly string[];
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** How the user has called this program. */
  readonly program: string;
}

/** @throws SettingsError */
function expectCommand(word: string, typed: Typed): void {
  if (word === 'serve') return;
  if (!OWN_OPTIONS.has(word)) throw unexpected('unknown command', [word], typed);
  const { others, isLast } = beside(word, typed);
  // `live` would have to follow `health` at once.
  const meant = word === 'health' && !isLast ? ['--help'] : others;
  const line = lineOf([word, ...meant], typed);
  throw new SettingsError(`the command comes first: ${line}`);
}

/** Rejects `--check URL`. @throws SettingsError */
function expectNoHyphens(typed: Typed): void {
  const [first = '', ...rest] = typed.args;
  const name = first.replace(/^-+/, '');
  if (first === name || !COMMANDS.includes(name)) return;
  const meant = didYouMean(lineOf([name, ...rest], typed));
  throw new SettingsError(`unknown option ${first}; ${meant}`);
}

/** @param problem what the words are */
function unexpected(problem: string, words: readonly string[], typed: Typed): SettingsError {
  const [word = ''] = words;
  const lines = meantBy(word, beside(word, typed)).map((meant) => lineOf(meant, typed));
  const hint =
    lines.length > 0 ? didYouMean(...new Set(lines)) : `see --help${npmHint(typed.environment)}`;
  return new SettingsError(`${problem} ${words.join(' ')}; ${hint}`);
}

/** The arguments beside a word. */
interface Beside {
  readonly others: readonly string[];
  /** Whether all others are options. */
  readonly isLast: boolean;
}

/** Leaves out the word and `serve` before it, but not the value of an option that is the same. */
function beside(word: string, { args, positionals }: Typed): Beside {
  const at = positionals.findIndex(({ value }) => value === word);
  const left = new Set(positionals.slice(0, at + 1).map(({ index }) => index));
  const others = args.filter((_, index) => !left.has(index));
  return { others, isLast: at === positionals.length - 1 };
}

/** A command line for a shell. */
function lineOf(args: readonly string[], { program, hasSettings }: Typed): string {
  const [command = ''] = args;
  // Neither takes the settings of the service.
  const isUnusable = hasSettings && (command === 'check' || command === 'bench');
  const usable = isUnusable ? [command, '--help'] : args;
  return [program, ...usable.map(quoted)].join(' ');
}

/** The arguments that may be meant by a word that is no command, and those beside it. */
function meantBy(word: string, { others, isLast }: Beside): readonly (readonly string[])[] {
  const lower = word.toLowerCase();
  const near = nearest(lower, COMMANDS);
  const words = SYNONYMS.get(lower) ?? (near === undefined ? undefined : [near]);
  // The service takes nothing but options.
  if (words?.[0] === 'serve' && !isLast) return [];
  if (words) return [[...words, ...others]];
  if (lower === 'help' || lower === 'version') {
    const of = others.filter((other) => OWN_OPTIONS.has(other)).slice(0, 1);
    return [[...of, `--${lower}`]];
  }
  const [, port] = /^:?(\d+)$/.exec(word) ?? [];
  // After the others, because the last port counts.
  if (port !== undefined) return isLast ? [[...others, '--port', port]] : [];
  const [flag = ''] = lower.split('=');
  if (isFlag(flag)) return [[`--${flag}${word.slice(flag.length)}`, ...others]];
  if (word.endsWith('.json')) return [['check', 'show', word, ...others]];
  // A name with dots alone may be that of a file.
  if (!/:[\d/]|^localhost$|^\d+(?:\.\d+){3}$/.test(word)) return [];
  return meantOrigins(word).map((origin) => ['check', origin].concat(others));
}

/** Warnings about environment variables that no setting has. Those of check and bench are checked by these commands. */
function variableWarnings(environment: Readonly<Record<string, string | undefined>>): string[] {
  const others = Object.keys(environment).filter((name) => /^WIREBIN_(?:CHECK|BENCH)_/.test(name));
  const known = Object.keys(settings).map(variableOf);
  return unknownVariables('WIREBIN_', [...known, ...others], environment, '--help');
}
