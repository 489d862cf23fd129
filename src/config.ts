import { createSecureContext } from 'node:tls';
import { parseArgs } from 'node:util';

/** One setting: its environment variable and flag share the name, its value has one reader. */
interface Setting<T> {
  readonly default: T;
  /** The default as `--help` shows it. */
  readonly shown: string;
  /** What `--help` shows as the value; flags that are on or off have none. */
  readonly value?: string;
  readonly help: string;
  /** @returns undefined for text that is no such value */
  read(text: string): T | undefined;
  /** What `read` takes, for the error message. */
  readonly allowed: string;
  /** A variable that counts as well, where others have made a name for the same. */
  readonly commonVariable?: string;
}

function integer(fallback: number, min: number, max: number, help: string): Setting<number> {
  return {
    default: fallback,
    shown: String(fallback),
    value: 'N',
    help,
    allowed: `a whole number from ${min} to ${max}`,
    read(text) {
      const number = /^\d{1,15}$/.test(text) ? Number(text) : -1;
      return number >= min && number <= max ? number : undefined;
    },
  };
}

function string(
  fallback: string | undefined,
  value: string,
  help: string,
): Setting<string | undefined> {
  return {
    default: fallback,
    shown: fallback ?? '',
    value,
    help,
    allowed: 'not empty',
    read: (text) => (text === '' ? undefined : text),
  };
}

function toggle(help: string): Setting<boolean> {
  const words = new Map([
    ['true', true],
    ['1', true],
    ['false', false],
    ['0', false],
  ]);
  return {
    default: false,
    shown: '',
    help,
    allowed: 'true, 1, false or 0',
    read: (text) => words.get(text.toLowerCase()),
  };
}

const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'];

function oneOf<const T extends string>(words: readonly T[], fallback: T, help: string): Setting<T> {
  return {
    default: fallback,
    shown: fallback,
    value: 'WORD',
    help,
    allowed: words.join(', '),
    read: (text) => words.find((word) => word === text),
  };
}

/** By OpenSSL's names; whether it has them is for this Node's OpenSSL to say. */
function cipherList(help: string): Setting<string | undefined> {
  return {
    ...string(undefined, 'LIST', help),
    allowed: "an OpenSSL cipher list, such as 'ECDHE+AESGCM'",
    read(text) {
      try {
        createSecureContext({ ciphers: text });
        return text;
      } catch {
        return undefined;
      }
    },
  };
}

const CLIENT_CERT = ['none', 'request', 'require'] as const;
const TLS_VERSIONS = ['TLSv1', 'TLSv1.1', 'TLSv1.2', 'TLSv1.3'] as const;

/** Every setting. Flag, variable, help and the README's table come from here and nowhere else. */
export const settings = {
  port: integer(8080, 0, 65_535, 'Port to listen on; 0 picks a free one.'),
  host: string(undefined, 'ADDRESS', 'Address to listen on; without it all, IPv4 and IPv6.'),
  tlsCert: string(undefined, 'FILE', 'Certificate chain in PEM; needs --tls-key.'),
  tlsKey: string(undefined, 'FILE', 'Private key in PEM; needs --tls-cert.'),
  tlsMin: oneOf(TLS_VERSIONS, 'TLSv1.2', 'Least TLS version; TLSv1 needs @SECLEVEL=0 in ciphers.'),
  tlsMax: oneOf(TLS_VERSIONS, 'TLSv1.3', 'Highest TLS version.'),
  tlsCiphers: cipherList("OpenSSL cipher list; without it Node's."),
  clientCert: oneOf(CLIENT_CERT, 'none', 'Whether TLS clients are asked for a certificate.'),
  tlsCa: string(
    undefined,
    'FILE',
    'Authorities for client certificates; without it the public ones.',
  ),
  tlsKeylog: {
    ...string(undefined, 'FILE', 'Append TLS secrets, for Wireshark: they open every connection.'),
    commonVariable: 'SSLKEYLOGFILE',
  },
  metricsEnabled: toggle('Serve /metrics.'),
  maxBodySize: integer(2 * 1024 ** 2, 0, 1024 ** 3, 'Most octets of content a request may have.'),
  maxHeaderSize: integer(32 * 1024, 1024, 1024 ** 2, 'Most octets of a header section.'),
  headerTimeout: integer(10, 1, 3600, 'Seconds a connection may take to send a header section.'),
  requestTimeout: integer(300, 1, 86_400, 'Seconds a request may take to arrive in full.'),
  idleTimeout: integer(75, 1, 86_400, 'Seconds a connection without a request is kept.'),
  drainDelay: integer(0, 0, 3600, 'Seconds between not being ready and accepting no more.'),
  drainTimeout: integer(10, 0, 3600, 'Seconds that open requests get to finish on a stop.'),
  logLevel: oneOf(LOG_LEVELS, 'info', 'Least level that is logged.'),
  logRequests: toggle('Log a line for each request.'),
} satisfies Record<string, Setting<unknown>>;

export type Settings = {
  readonly [Name in keyof typeof settings]: (typeof settings)[Name] extends Setting<infer T>
    ? T
    : never;
};

/** A setting that cannot be used; the message is for the user. */
export class SettingsError extends Error {}

/** `maxBodySize` → `max-body-size`. */
export function flagOf(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

/** `maxBodySize` → `WIREBIN_MAX_BODY_SIZE`. */
export function variableOf(name: string): string {
  return `WIREBIN_${flagOf(name).replaceAll('-', '_').toUpperCase()}`;
}

/** What the command line asks for. */
export type Invocation =
  | { readonly command: 'serve'; readonly settings: Settings }
  | { readonly command: 'help' }
  | { readonly command: 'version' };

/**
 * Reads the command line and the environment; a flag beats a variable, a variable the default.
 *
 * @throws SettingsError
 */
export function readInvocation(
  args: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
): Invocation {
  const { values, positionals } = parsed(args);
  if (values['help'] !== undefined) return { command: 'help' };
  if (values['version'] !== undefined) return { command: 'version' };
  const [command = 'serve', ...extra] = positionals;
  if (command !== 'serve') throw new SettingsError(`unknown command ${command}; try --help`);
  if (extra.length > 0) throw new SettingsError(`unexpected argument ${extra.join(' ')}`);

  const read: Record<string, unknown> = {};
  for (const [name, setting] of Object.entries<Setting<unknown>>(settings)) {
    const flag = values[flagOf(name)];
    const text = flag === undefined ? fromEnvironment(name, setting, environment) : String(flag);
    read[name] = text === undefined ? setting.default : valueOf(name, setting, text);
  }
  // Each name was given the value of its own setting; no mapped type can be built by steps.
  const complete = read as Settings;
  checkTogether(complete);
  return { command: 'serve', settings: complete };
}

function fromEnvironment(
  name: string,
  { commonVariable }: Setting<unknown>,
  environment: Readonly<Record<string, string | undefined>>,
): string | undefined {
  const own = environment[variableOf(name)];
  if (own !== undefined || commonVariable === undefined) return own;
  // Where others share the variable, empty is how they turn it off.
  return environment[commonVariable] || undefined;
}

/** What no setting can tell by itself. */
function checkTogether({ tlsCert, tlsKey, tlsMin, tlsMax, tlsCa, clientCert }: Settings): void {
  if ((tlsCert === undefined) !== (tlsKey === undefined)) {
    throw new SettingsError('--tls-cert and --tls-key go together: give both or neither');
  }
  if (TLS_VERSIONS.indexOf(tlsMin) > TLS_VERSIONS.indexOf(tlsMax)) {
    throw new SettingsError(`--tls-min ${tlsMin} is above --tls-max ${tlsMax}`);
  }
  if (tlsCa !== undefined && clientCert === 'none') {
    throw new SettingsError('--tls-ca needs --client-cert request or require');
  }
}

function valueOf(name: string, setting: Setting<unknown>, text: string): unknown {
  const value = setting.read(text);
  if (value !== undefined) return value;
  throw new SettingsError(
    `--${flagOf(name)} (${variableOf(name)}) cannot be '${text}'; allowed: ${setting.allowed}`,
  );
}

function parsed(args: readonly string[]): ReturnType<typeof parseArgs> {
  const options: Record<string, { type: 'string' | 'boolean' }> = {
    help: { type: 'boolean' },
    version: { type: 'boolean' },
  };
  for (const [name, { value }] of Object.entries<Setting<unknown>>(settings)) {
    options[flagOf(name)] = { type: value === undefined ? 'boolean' : 'string' };
  }
  try {
    return parseArgs({ args: [...args], options, allowPositionals: true, allowNegative: true });
  } catch (error) {
    throw new SettingsError(error instanceof Error ? error.message : String(error));
  }
}

/** The text of `--help`. */
export function helpText(): string {
  const rows = Object.entries<Setting<unknown>>(settings).map(([name, setting]) => {
    const flag = `--${flagOf(name)}${setting.value === undefined ? '' : ` ${setting.value}`}`;
    const fallback = setting.shown === '' ? '' : ` [${setting.shown}]`;
    const variables = [variableOf(name), setting.commonVariable].filter(Boolean).join(', ');
    return `  ${flag.padEnd(26)}${setting.help}${fallback}\n  ${''.padEnd(26)}${variables}`;
  });
  return [
    'wirebin [serve] [options]   serve HTTP/1.1 and HTTP/2, in clear and over TLS, on one port',
    '',
    ...rows,
    `  ${'--version'.padEnd(26)}Print the version.`,
    `  ${'--help'.padEnd(26)}Print this.`,
    '',
  ].join('\n');
}
