import type { Command } from '../commands.ts';
import { flagsOf, quoted, type Flag, type FlagValue } from './flags.ts';

export function zshCompletion(commands: readonly Command[]): string {
  const names = commands.map(({ name, usage: [[, summary] = ['', '']] }) =>
    quoted(`${name}:${escapeForZsh(summary)}`),
  );
  const [serve, ...others] = commands;
  const cases = others.map((command) => {
    const words = command.words.length > 0 ? `1: :(${command.words.join(' ')})` : '1: :';
    const files = command.wordsBeforeFiles.length > 0 ? ["'*: :_files'"] : [];
    return `    ${command.name})
      shift words
      ((CURRENT--))
      _arguments -s ${[...specs(command), quoted(words), ...files].join(SEPARATOR)}
      ;;`;
  });
  return `#compdef wirebin
# Completions of wirebin for zsh.

_wirebin_commands() {
  local -a commands=(
    ${names.join('\n    ')}
  )
  _describe command commands
}

_wirebin() {
  case $words[2] in
${cases.join('\n')}
    *)
      _arguments -s ${[...(serve ? specs(serve) : []), "'1: :_wirebin_commands'"].join(SEPARATOR)}
      ;;
  esac
}

# Loaded by compinit, this file is the function; with source it only defines it.
if [[ $funcstack[1] == _wirebin ]]; then
  _wirebin "$@"
else
  compdef _wirebin wirebin
fi
`;
}

const SEPARATOR = ' \\\n        ';

function specs(command: Command): string[] {
  return flagsOf(command).map((flag) => spec(flag));
}

/** A specification like `'(-p --port)'{-p+,--port=}'[Port]:N:'`: once, the value may follow after a space. */
function spec({ name, short, help, value }: Flag): string {
  const argument = value ? `:${value.label}:${valueAction(value)}` : '';
  const text = `[${escapeForZsh(help)}]${argument}`;
  const long = value ? `--${name}=` : `--${name}`;
  if (short === undefined) return quoted(`${long}${text}`);
  const letter = value ? `-${short}+` : `-${short}`;
  return `${quoted(`(-${short} --${name})`)}{${letter},${long}}${quoted(text)}`;
}

function valueAction({ kind, words }: FlagValue): string {
  switch (kind) {
    case 'word':
      return `(${words.join(' ')})`;
    case 'list':
      return `_sequence compadd - ${words.join(' ')}`;
    case 'file':
      return '_files';
    case 'directory':
      return '_files -/';
    case 'other':
      return ' ';
  }
}

/** Escapes characters with a meaning in specifications of `_arguments` and `_describe`. */
function escapeForZsh(text: string): string {
  return text.replace(/[[\]:\\]/g, String.raw`\$&`);
}
