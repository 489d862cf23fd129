import { commands, type Command } from '../src/cli/commands.ts';
import { UNITS } from '../src/cli/help.ts';
import type { Setting } from '../src/settings/setting.ts';
import { flagOf } from '../src/settings/settings.ts';
import { VERSION } from '../src/version.ts';

const DESCRIPTION = `wirebin is an HTTP test service. One port speaks HTTP/1.1 and HTTP/2, in cleartext and over TLS, and the
response shows what really arrived: the request as it was on the wire, the connection that carried it, and the
TLS handshake. It also sends what you ask for: bytes, ranges, redirects, delays, slow streams, trailers, faults
and any status. / lists the endpoints, /openapi.json describes them.`;

const SIGNALS = [
  [
    'SIGTERM, SIGINT',
    'Stop gracefully, as --drain-delay and --drain-timeout say; the second signal stops at once.',
  ],
  ['SIGHUP', 'Read the certificate again.'],
] as const;

const EXIT_CODES = [
  [
    '0',
    'Stopped, and all requests were completed; for check, no finding; for bench, measured; for health, ready.',
  ],
  [
    '1',
    'Failed, or requests were aborted; for check, findings; for bench, failed requests or missed limits; for health, not ready.',
  ],
  ['2', 'Usage error, such as a setting that is not valid.'],
  ['3', 'check and bench: no wirebin was found at the target; bench: a disturbed, invalid row.'],
  ['4', 'check and bench: a fault of the command itself.'],
  ['130', 'check and bench: interrupted.'],
] as const;

/** Commands whose options are listed; the others have none of their own. */
const OPTIONED: ReadonlySet<string> = new Set(['serve', 'check', 'bench']);

/** In characters, some of which are two bytes: mandoc finds lines of more than 80. */
const LINE_LENGTH = 76;

const EXAMPLES = [
  'wirebin --port 9000 --dialect httpbin --max-body-size 10M',
  'wirebin --tap --workers auto',
  'wirebin check https://lb.example --report junit=report.xml',
  'wirebin bench https://lb.example --direct http://10.0.0.5:8080',
  'curl -k https://localhost:8080/anything',
];

/** docs/wirebin.1, in the macros of man(7). */
export function manual(): string {
  return `${[
    `.TH WIREBIN 1 "" "wirebin ${VERSION}" "User Commands"`,
    section('NAME', String.raw`wirebin \- HTTP test service`),
    section('SYNOPSIS', ...commands.flatMap(synopsis).join('\n.br\n').split('\n')),
    section('DESCRIPTION', paragraph(DESCRIPTION)),
    section('COMMANDS', ...commands.flatMap(({ usage }) => usage.flatMap(usageEntry))),
    ...commands.filter(({ name }) => OPTIONED.has(name)).map(optionSection),
    section('SIGNALS', ...SIGNALS.flatMap(([name, what]) => entry(bold(name), what))),
    section('EXIT STATUS', ...EXIT_CODES.flatMap(([code, what]) => entry(bold(code), what))),
    section('EXAMPLES', '.EX', ...EXAMPLES.map(text), '.EE'),
    section('SEE ALSO', text('curl(1), h2load(1), tshark(1)')),
  ].join('\n')}\n`;
}

function section(title: string, ...lines: readonly string[]): string {
  return [`.SH ${title.includes(' ') ? `"${title}"` : title}`, ...lines].join('\n');
}

function synopsis({ usage }: Command): string[] {
  return usage.map(([args]) => `${bold('wirebin')} ${text(args)}`);
}

function usageEntry([args, summary]: Command['usage'][number]): string[] {
  return entry(bold(`wirebin ${args}`), `${summary.charAt(0).toUpperCase()}${summary.slice(1)}.`);
}

function optionSection({ name, options, variableOf }: Command): string {
  const rows = Object.entries(options).flatMap(([option, setting]) =>
    optionEntry(option, setting, variableOf(option)),
  );
  const more = name === 'serve' ? ['.PP', paragraph(UNITS)] : [];
  return section(`OPTIONS OF ${name.toUpperCase()}`, ...rows, ...more);
}

function optionEntry(name: string, setting: Setting<unknown>, variable: string): string[] {
  const { short, value, help, defaultText, choices, items, commonVariable } = setting;
  const long = bold(`--${flagOf(name)}`);
  const label = `${short === undefined ? '' : `${bold(`-${short}`)}, `}${long}`;
  const words = choices?.words ?? items ?? [];
  const facts = [
    help,
    ...(words.length > 0 ? [`${choices ? 'One' : 'Some'} of ${words.join(', ')}.`] : []),
    ...(defaultText === '' ? [] : [`Default: ${defaultText}.`]),
    `Variable: ${[variable, commonVariable].filter(Boolean).join(', ')}.`,
  ];
  return entry(value === undefined ? label : `${label} ${italic(value)}`, facts.join(' '));
}

function entry(label: string, what: string): string[] {
  return ['.TP', label, paragraph(what)];
}

function bold(words: string): string {
  return String.raw`\fB${text(words)}\fR`;
}

function italic(words: string): string {
  return String.raw`\fI${text(words)}\fR`;
}

/** Breaks lines, which roff joins. */
function paragraph(plain: string): string {
  const lines = [''];
  for (const word of text(plain.trim().replaceAll(/\s+/g, ' ')).split(' ')) {
    const line = `${lines.at(-1)} ${word}`.trimStart();
    if (line.length > LINE_LENGTH) lines.push(word);
    else lines[lines.length - 1] = line;
  }
  return lines.map(guarded).join('\n');
}

/** Escapes what roff would read as its own. */
function text(plain: string): string {
  return plain.replaceAll('\\', String.raw`\e`).replaceAll('-', String.raw`\-`);
}

/** A line that begins with one of these would be a request. */
function guarded(line: string): string {
  return /^[.']/.test(line) ? String.raw`\&${line}` : line;
}
