import { availableParallelism } from 'node:os';
import { createSecureContext } from 'node:tls';
import { parseGoDuration } from '../http/go-duration.ts';
import { Networks } from '../http/ip-address.ts';

/** Declares one setting. Flag, environment variable and option are derived from its name. */
export interface Setting<T> {
  readonly default: T;
  /** The default, as shown in `--help`. */
  readonly defaultText: string;
  /** Placeholder of the value in `--help`, such as N or DURATION; undefined for on/off flags. */
  readonly value?: string;
  /** Separates the values of a list that is given in several flags. Default: a comma. */
  readonly separator?: string;
  /** Letter of the short option. */
  readonly short?: string;
  readonly help: string;
  /** Parses the value. @returns undefined for invalid text */
  read(text: string): T | undefined;
  /** Describes the values that `read` accepts, for the error message. */
  readonly allowed: string;
  /** All valid words, if the set is fixed, and one of them as example. */
  readonly choices?: { readonly words: readonly string[]; readonly example: string };
  /** All valid words of a comma-separated list, if the set is fixed. */
  readonly items?: readonly string[];
  /** Whether the value must not appear in error messages and in /env. */
  readonly isSecret?: boolean;
  /** A well-known environment variable that is read as well, such as SSLKEYLOGFILE. */
  readonly commonVariable?: string;
}

export function integer(fallback: number, min: number, max: number, help: string): Setting<number> {
  return {
    default: fallback,
    defaultText: String(fallback),
    value: 'N',
    help,
    allowed: `a whole number from ${min} to ${max}`,
    read(text) {
      const number = /^\d{1,15}$/.test(text) ? Number(text) : -1;
      return number >= min && number <= max ? number : undefined;
    },
  };
}

/** Factors of the size units: powers of 1024, as in most servers. */
const SIZE_UNITS = new Map([
  ['G', 1024 ** 3],
  ['M', 1024 ** 2],
  ['K', 1024],
]);

/** Bytes of an MB in settings. */
export const MB = 1_000_000;

/**
 * A setting in bytes: `65536`, or with a unit, `64K`.
 *
 * @param base bytes per unit of the value, the default, the bounds, and numbers without a suffix. In MB, the value may
 * have a fraction.
 */
export function size(
  fallback: number,
  min: number,
  max: number,
  help: string,
  base: 1 | typeof MB = 1,
): Setting<number> {
  const whole = integer(fallback, min, max, help);
  const [value, unitName, format] = base === 1 ? ['SIZE', 'bytes', sizeText] : ['MB', 'MB', String];
  return {
    ...whole,
    defaultText: format(fallback),
    value,
    allowed: `from ${format(min)} to ${format(max)}, in ${unitName} or with K, M or G (1024-based)`,
    read(text) {
      const unit = SIZE_UNITS.get(text.slice(-1).toUpperCase());
      if (unit === undefined) return whole.read(text);
      const digits = text.slice(0, -1);
      const number = /^\d{1,15}$/.test(digits) ? (Number(digits) * unit) / base : -1;
      return number >= min && number <= max ? number : undefined;
    },
  };
}

/** A size as text, in the largest unit that gives an integer. */
function sizeText(bytes: number): string {
  for (const [unit, factor] of SIZE_UNITS) {
    if (bytes > 0 && bytes % factor === 0) return `${bytes / factor}${unit}`;
  }
  return String(bytes);
}

/** A setting in seconds: `90`, or with units like durations in queries: `1m30s`, `250ms`. */
export function duration(
  fallback: number,
  min: number,
  max: number,
  help: string,
): Setting<number> {
  const whole = integer(fallback, min, max, help);
  return {
    ...whole,
    defaultText: durationText(fallback),
    value: 'DURATION',
    allowed: `from ${durationText(min)} to ${durationText(max)}, in seconds or with units (h, m, s, ms)`,
    read(text) {
      if (!/^[\d.].*[a-z]$/.test(text)) return whole.read(text);
      const seconds = parseGoDuration(text);
      return seconds !== undefined && seconds >= min && seconds <= max ? seconds : undefined;
    },
  };
}

/** A duration as text, in the largest unit that gives an integer. */
function durationText(seconds: number): string {
  if (seconds > 0 && seconds % 3600 === 0) return `${seconds / 3600}h`;
  if (seconds > 0 && seconds % 60 === 0) return `${seconds / 60}m`;
  return `${seconds}s`;
}

/** A setting with any non-empty text. */
export function string(
  fallback: string | undefined,
  value: string,
  help: string,
): Setting<string | undefined> {
  return {
    default: fallback,
    defaultText: fallback ?? '',
    value,
    help,
    allowed: 'not empty',
    read: (text) => (text === '' ? undefined : text),
  };
}

const MAX_NAME = 255;

/** Whether text can be the name of a service: ASCII that a field value can contain. */
export function isInstanceName(text: string): boolean {
  return text.length <= MAX_NAME && /^[!-~]([ -~]*[!-~])?$/.test(text);
}

/** A setting with a name of the service. */
export function instanceName(help: string): Setting<string | undefined> {
  return {
    ...string(undefined, 'NAME', help),
    allowed: `1 to ${MAX_NAME} visible ASCII characters, with spaces only between others`,
    read: (text) => (isInstanceName(text) ? text : undefined),
  };
}

/** A setting with a token for Authorization: token68 (RFC 9110 11.2). */
export function bearerToken(help: string): Setting<string | undefined> {
  return {
    ...string(undefined, 'TOKEN', help),
    isSecret: true,
    allowed: 'letters, digits and -._~+/, with = at the end only',
    read: (text) => (/^[\w.~+/-]+=*$/.test(text) ? text : undefined),
  };
}

/** A setting with a comma-separated list, empty by default. */
export function commaList(value: string, help: string): Setting<readonly string[]> {
  return {
    default: [],
    defaultText: '',
    value,
    help,
    allowed: 'a comma-separated list, not empty',
    read(text) {
      const items = text.split(',').map((item) => item.trim());
      return items.includes('') ? undefined : items;
    },
  };
}

/** A setting with rules or files of rules, one in each flag. */
export function rules(help: string): Setting<readonly string[]> {
  return {
    ...commaList('RULE', help),
    separator: '\n',
    allowed: 'METHOD PATTERN: description, or @ and a file of such lines',
    read: (text) => (text.trim() === '' ? undefined : text.split('\n')),
  };
}

/** A setting with a comma-separated list of these words. Default: all. */
export function wordList<const T extends string>(
  words: readonly T[],
  help: string,
): Setting<readonly T[]> {
  const items = commaList('LIST', help);
  return {
    ...items,
    default: words,
    defaultText: words.join(','),
    items: words,
    allowed: `comma-separated, from ${words.join(', ')}`,
    read(text) {
      const read = items.read(text);
      // In the order of `words`, without repetitions.
      const chosen = words.filter((word) => read?.includes(word));
      return read?.every((item) => words.some((word) => word === item)) ? chosen : undefined;
    },
  };
}

/** A setting with host names, or `*` for any. They are normalized like in URLs: lower case, Punycode. */
export function domains(help: string): Setting<readonly string[]> {
  const names = commaList('DOMAINS', help);
  return {
    ...names,
    allowed: 'comma-separated host names without scheme and port, or *',
    read(text) {
      const hosts = names.read(text)?.map(hostName);
      return hosts?.every((host) => host !== undefined) ? hosts : undefined;
    },
  };
}

function hostName(name: string): string | undefined {
  if (name === '*') return name;
  const url = `http://${name}:1/`;
  if (name.includes('*') || !URL.canParse(url)) return undefined;
  const { href, hostname } = new URL(url);
  return href === `http://${hostname}:1/` ? hostname : undefined;
}

/** A setting with a path below which the service is; empty by default. It has no slash at its end. */
export function pathPrefix(help: string): Setting<string> {
  return {
    default: '',
    defaultText: '',
    value: 'PATH',
    help,
    allowed: 'a path such as /api, percent-encoded',
    read(text) {
      const path = text.replace(/\/$/, '');
      const isPath = path.startsWith('/') && !path.endsWith('/') && URL.canParse(path, 'http://a');
      return isPath && new URL(path, 'http://a').pathname === path ? path : undefined;
    },
  };
}

/** A setting with origins of web pages, like in Origin (RFC 6454 6.2), or `*` for any. */
export function origins(help: string): Setting<readonly string[]> {
  const texts = commaList('ORIGINS', help);
  return {
    ...texts,
    allowed: 'comma-separated origins such as https://example.com:8443, or *',
    read(text) {
      const read = texts.read(text);
      return read?.every(isOrigin) ? read : undefined;
    },
  };
}

function isOrigin(text: string): boolean {
  return text === '*' || (URL.canParse(text) && new URL(text).origin === text);
}

/** A setting with comma-separated address ranges; undefined by default. */
export function networks(help: string): Setting<Networks | undefined> {
  return {
    default: undefined,
    defaultText: '',
    value: 'RANGES',
    help,
    allowed: 'addresses and ranges such as 10.0.0.0/8,2001:db8::/32',
    read(text) {
      const ranges = new Networks();
      return text.split(',').every((range) => ranges.add(range.trim())) ? ranges : undefined;
    },
  };
}

const MAX_WORKERS = 256;

/** A setting with a number of processes. `auto` is `availableParallelism()`. */
export function workerCount(help: string): Setting<number> {
  const count = integer(1, 1, MAX_WORKERS, help);
  return {
    ...count,
    allowed: `${count.allowed}, or auto`,
    read: (text) =>
      text === 'auto' ? Math.min(availableParallelism(), MAX_WORKERS) : count.read(text),
  };
}

const ON = ['true', 'yes', 'on', '1'];
const OFF = ['false', 'no', 'off', '0'];

/** A setting that is on or off; off by default. */
export function toggle(help: string): Setting<boolean> {
  return {
    default: false,
    defaultText: '',
    help,
    allowed: [...ON, ...OFF].join(', '),
    read(text) {
      const word = text.toLowerCase();
      if (ON.includes(word)) return true;
      return OFF.includes(word) ? false : undefined;
    },
  };
}

/** A setting with one of these words. @param example word in the example of `--help` */
export function oneOf<const T extends string>(
  words: readonly T[],
  fallback: NoInfer<T>,
  example: NoInfer<T>,
  help: string,
): Setting<T> {
  return {
    default: fallback,
    defaultText: fallback,
    value: 'WORD',
    help,
    allowed: words.join(', '),
    choices: { words, example },
    read: (text) => words.find((word) => word === text),
  };
}

/** A setting with an OpenSSL cipher list, which this Node's OpenSSL must accept. */
export function cipherList(help: string): Setting<string | undefined> {
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
