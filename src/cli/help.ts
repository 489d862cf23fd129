import { flagOf, settings, variableOf } from '../settings/settings.ts';
import type { Setting } from '../settings/setting.ts';

/** The column at which lines go on. */
const INDENT = ' '.repeat(28);

const HEAD = `wirebin [serve] [options]   serve HTTP/1.1 and HTTP/2, in clear and over TLS, on one port

  wirebin --port 9000 --dialect httpbin --max-body-size 10M --idle-timeout 90s
`;

const TAIL = `
A flag beats its variable, which beats the default in brackets; an empty variable is as if unset.
Flags without a value take a no-, such as --no-tap; as variables they are true, yes, on or 1, and
false, no, off or 0. SIZE is in bytes and MB in 1000² bytes, unless it ends in K, M or G: 10M is
10 * 1024² bytes, K 1024 and G 1024³. DURATION is in seconds, or has units, which are h, m, s and
ms: 30s, 1m30s, 250ms.
`;

/** The text of `--help`. */
export function helpText(): string {
  const rows = Object.entries<Setting<unknown>>(settings).map(([name, setting]) =>
    row(name, setting),
  );
  const version = labelled('--version', 'v', 'Print the version.');
  const help = labelled('--help', 'h', 'Print this.');
  return `${[HEAD, ...rows, version, help].join('\n')}\n${TAIL}`;
}

function row(
  name: string,
  { value, short, help, shown, choices, commonVariable }: Setting<unknown>,
): string {
  const flag = `--${flagOf(name)}`;
  const variables = [variableOf(name), commonVariable].filter(Boolean).join(', ');
  const fallback = shown === '' ? '' : ` [${shown}]`;
  const lines = [
    labelled(value === undefined ? flag : `${flag} ${value}`, short, `${help}${fallback}`),
    ...(choices ? [`${INDENT}${choices.words.join(', ')}; e.g. ${flag} ${choices.example}`] : []),
    `${INDENT}${variables}`,
  ];
  return lines.join('\n');
}

/** A label that is too long for its column has a line of its own. */
function labelled(flag: string, short: string | undefined, text: string): string {
  const letter = short === undefined ? '' : `-${short},`;
  const label = `  ${letter.padEnd(4)}${flag} `;
  return label.length > INDENT.length
    ? `${label.trimEnd()}\n${INDENT}${text}`
    : `${label.padEnd(INDENT.length)}${text}`;
}
