import type { Command } from '../commands.ts';
import { flagsOf, quoted, type Flag, type FlagValue } from './flags.ts';

const HEAD = `# Completions of wirebin for bash 4 and later.

# Reads lines, because names of files contain spaces.
_wirebin_reply() {
  mapfile -t COMPREPLY
}

_wirebin_list() {
  local head=
  [[ $cur == *,* ]] && head=\${cur%,*},
  compopt -o nospace 2>/dev/null
  _wirebin_reply < <(compgen -P "$head" -W "$1" -- "\${cur##*,}")
}

_wirebin_files() {
  compopt -o filenames 2>/dev/null
  _wirebin_reply < <(compgen "$1" -- "$cur")
}

_wirebin() {
  local cur=\${COMP_WORDS[COMP_CWORD]} prev=\${COMP_WORDS[COMP_CWORD - 1]} options words
  # \`--flag=value\` is three words.
  if [[ $cur == = ]]; then
    cur=
  elif [[ $prev == = ]]; then
    prev=\${COMP_WORDS[COMP_CWORD - 2]}
  fi
  COMPREPLY=()`;

const TAIL = `  if [[ $cur == -* ]]; then
    _wirebin_reply < <(compgen -W "$options" -- "$cur")
  else
    _wirebin_reply < <(compgen -W "$words" -- "$cur")
  fi
}

complete -F _wirebin wirebin`;

export function bashCompletion(commands: readonly Command[]): string {
  const names = commands.map(({ name }) => name).join(' ');
  const [serve, ...others] = commands;
  const cases = [...others, ...(serve ? [serve] : [])].map((command) => caseOf(command, names));
  return `${[HEAD, '  case ${COMP_WORDS[1]} in', ...cases, '  esac', TAIL].join('\n')}\n`;
}

function caseOf(command: Command, names: string): string {
  const flags = flagsOf(command);
  const isDefault = command.name === 'serve';
  const words = isDefault ? names : command.words.join(' ');
  const before = command.wordsBeforeFiles.join('|');
  return [
    `    ${isDefault ? '*' : command.name})`,
    '      case $prev in',
    ...valueCases(flags),
    '      esac',
    `      options=${quoted(flags.map(({ name }) => `--${name}`).join(' '))}`,
    `      ((COMP_CWORD == ${isDefault ? 1 : 2})) && words=${quoted(words)}`,
    ...(before === '' ? [] : [filesAfter(before)]),
    '      ;;',
  ].join('\n');
}

function filesAfter(words: string): string {
  return `      [[ $cur != -* && COMP_CWORD -gt 2 && \${COMP_WORDS[2]} == @(${words}) ]] && _wirebin_files -f && return`;
}

/** Case branches that complete the values of flags. Flags with the same completion share a branch. */
function valueCases(flags: readonly Flag[]): string[] {
  const patterns = new Map<string, string[]>();
  for (const { name, short, value } of flags) {
    if (!value) continue;
    const known = patterns.get(completer(value)) ?? [];
    known.push(...(short === undefined ? [] : [`-${short}`]), `--${name}`);
    patterns.set(completer(value), known);
  }
  return [...patterns].map(
    ([command, names]) => `        ${names.join(' | ')}) ${command}return ;;`,
  );
}

function completer({ kind, words }: FlagValue): string {
  const list = quoted(words.join(' '));
  switch (kind) {
    case 'word':
      return `_wirebin_reply < <(compgen -W ${list} -- "$cur"); `;
    case 'list':
      return `_wirebin_list ${list}; `;
    case 'file':
      return '_wirebin_files -f; ';
    case 'directory':
      return '_wirebin_files -d; ';
    case 'other':
      return '';
  }
}
