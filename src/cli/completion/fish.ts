import type { Command } from '../commands.ts';
import { flagsOf, quoted, type Flag, type FlagValue } from './flags.ts';

export function fishCompletion(commands: readonly Command[]): string {
  const [serve, ...others] = commands;
  const lines = commands.map(({ name, usage: [[, summary] = ['', '']] }) =>
    line('__fish_use_subcommand', `-a ${name} -d ${quoted(summary)}`),
  );
  for (const command of others) {
    const { name, words, wordsBeforeFiles } = command;
    if (words.length > 0) {
      const first = `${seen(name)}; and not ${seen(words.join(' '))}`;
      lines.push(line(first, `-a ${quoted(words.join(' '))}`));
    }
    if (wordsBeforeFiles.length > 0) lines.push(line(seen(wordsBeforeFiles.join(' ')), '-F'));
    lines.push(...flagsOf(command).map((flag) => line(seen(name), flagArguments(flag))));
  }
  if (serve) {
    const condition = `not ${seen(others.map(({ name }) => name).join(' '))}`;
    lines.push(...flagsOf(serve).map((flag) => line(condition, flagArguments(flag))));
  }
  return `# Completions of wirebin for fish.\n\ncomplete -c wirebin -f\n${lines.join('\n')}\n`;
}

function seen(names: string): string {
  return `__fish_seen_subcommand_from ${names}`;
}

function line(condition: string, rest: string): string {
  return `complete -c wirebin -n ${quoted(condition)} ${rest}`;
}

function flagArguments({ name, short, help, value }: Flag): string {
  const letter = short === undefined ? '' : ` -s ${short}`;
  return `-l ${name}${letter}${value ? ` ${valueArguments(value)}` : ''} -d ${quoted(help)}`;
}

function valueArguments({ kind, words }: FlagValue): string {
  switch (kind) {
    case 'word':
      return `-x -a ${quoted(words.join(' '))}`;
    case 'list':
      return `-x -a ${quoted(`(__fish_append , ${words.join(' ')})`)}`;
    case 'file':
      return '-r -F';
    case 'directory':
      return `-x -a ${quoted('(__fish_complete_directories)')}`;
    case 'other':
      return '-x';
  }
}
