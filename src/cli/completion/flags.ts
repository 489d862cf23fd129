import { flagOf } from '../../settings/settings.ts';
import type { Command } from '../commands.ts';

/** An option, as completions describe it. */
export interface Flag {
  /** Name without dashes. */
  readonly name: string;
  readonly short: string | undefined;
  readonly help: string;
  /** undefined for on/off flags. */
  readonly value: FlagValue | undefined;
}

export interface FlagValue {
  /** Placeholder of the value, such as N or DURATION. */
  readonly label: string;
  readonly kind: 'word' | 'list' | 'file' | 'directory' | 'other';
  /** Possible words, if the kind is `word` or `list`. */
  readonly words: readonly string[];
}

/** The options of a command: its settings, their negations, and --help. */
export function flagsOf({ name: command, options }: Command): readonly Flag[] {
  const own = Object.entries(options).flatMap(([name, setting]): Flag[] => {
    const { short, help, value: label, choices, items } = setting;
    const flag = { name: flagOf(name), short, help: withoutStop(help), value: undefined };
    if (label === undefined) {
      return [
        flag,
        { ...flag, name: `no-${flag.name}`, short: undefined, help: `Not: ${flag.help}` },
      ];
    }
    const words = choices?.words ?? items ?? [];
    return [{ ...flag, value: { label, kind: kindOf(label, choices, items), words } }];
  });
  const help: Flag = { name: 'help', short: 'h', help: 'Print help', value: undefined };
  if (command !== 'serve') return [...own, help];
  return [...own, { ...help, name: 'version', short: 'v', help: 'Print the version' }, help];
}

function kindOf(label: string, choices: unknown, items: unknown): FlagValue['kind'] {
  if (choices !== undefined) return 'word';
  if (items !== undefined) return 'list';
  if (label === 'FILE') return 'file';
  return label === 'DIR' ? 'directory' : 'other';
}

function withoutStop(sentence: string): string {
  return sentence.replace(/\.$/, '');
}

/** Quotes text for a shell by single quotes. */
export function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
