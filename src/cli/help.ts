import { flagOf, settings, variableOf } from '../settings/settings.ts';
import type { Setting } from '../settings/setting.ts';

/** Indentation of descriptions. */
const INDENT = ' '.repeat(28);

const HEAD = `wirebin [serve] [options]   serve HTTP/1.1 and HTTP/2, plaintext and TLS, on one port

wirebin check URL           say what a proxy in front changes; see wirebin check --help
wirebin bench URL           measure a proxy and what it adds; see wirebin bench --help
wirebin health [live]       ask the wirebin that runs here whether it is ready, or only alive
wirebin completion SHELL    print completions for bash, fish or zsh

  wirebin --port 9000 --dialect httpbin --max-body-size 10M --idle-timeout 90s
`;

/** Help text on the syntax of values. */
export const UNITS = `
Flags override environment variables, which override the defaults in brackets. An empty variable
counts as unset. Flags without a value can be negated, for example --no-tap; their variables take
true, yes, on or 1, and false, no, off or 0. SIZE is in bytes and MB in 1000² bytes, unless a suffix
K, M or G (1024, 1024², 1024³) is given: 10M is 10 * 1024² bytes. DURATION is in seconds, or has
units (h, m, s, ms): 30s, 1m30s, 250ms.
`;

/** Maximum characters of a line. */
const WIDTH = 100;

/** The text of `--help`. */
export function helpText(): string {
  const rows = Object.entries<Setting<unknown>>(settings).map(([name, setting]) =>
    row(name, setting),
  );
  const version = labelled('--version', 'v', 'Print the version.');
  const help = labelled('--help', 'h', 'Print this help.');
  return `${[HEAD, ...rows, version, help].join('\n')}\n${UNITS}`;
}

function row(
  name: string,
  { value, short, help, defaultText, choices, commonVariable }: Setting<unknown>,
): string {
  const flag = `--${flagOf(name)}`;
  const variables = [variableOf(name), commonVariable].filter(Boolean).join(', ');
  const fallback = defaultText === '' ? '' : ` [${defaultText}]`;
  const lines = [
    labelled(value === undefined ? flag : `${flag} ${value}`, short, `${help}${fallback}`),
    ...(choices ? choiceLines(flag, choices) : []),
    `${INDENT}${variables}`,
  ];
  return lines.join('\n');
}

/** The words of a setting and an example, on one line if it fits in WIDTH. */
function choiceLines(
  flag: string,
  { words, example }: NonNullable<Setting<unknown>['choices']>,
): string[] {
  const list = `${INDENT}${words.join(', ')};`;
  const line = `${list} e.g. ${flag} ${example}`;
  return line.length <= WIDTH ? [line] : [list, `${INDENT}e.g. ${flag} ${example}`];
}

/** A line of the help. A label that does not fit in its column gets a line of its own. */
function labelled(flag: string, short: string | undefined, text: string): string {
  const letter = short === undefined ? '' : `-${short},`;
  const label = `  ${letter.padEnd(4)}${flag} `;
  return label.length > INDENT.length
    ? `${label.trimEnd()}\n${INDENT}${text}`
    : `${label.padEnd(INDENT.length)}${text}`;
}
