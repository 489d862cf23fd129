import { availableParallelism } from 'node:os';
import { createSecureContext } from 'node:tls';
import { parseGoDuration } from '../http/go-duration.ts';
import { Networks } from '../http/ip-address.ts';

/** One setting: its environment variable and flag share the name, its value has one reader. */
export interface Setting<T> {
  readonly default: T;
  /** The default as `--help` shows it. */
  readonly shown: string;
  /** What `--help` shows as the value; flags that are on or off have none. */
  readonly value?: string;
  /** The letter of its short option. */
  readonly short?: string;
  readonly help: string;
  /** @returns undefined for text that is no such value */
  read(text: string): T | undefined;
  /** What `read` takes, for the error message. */
  readonly allowed: string;
  /** The words that `read` takes, where there are no other values, and one of them to show. */
  readonly choices?: { readonly words: readonly string[]; readonly example: string };
  /** A variable that counts as well, where others have made a name for the same. */
  readonly commonVariable?: string;
}

/** A whole number. */
export function integer(fallback: number, min: number, max: number, help: string): Setting<number> {
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

/** The units of a size, in bytes: powers of 1024, as most servers read K, M and G. */
const SIZE_UNITS = new Map([
  ['G', 1024 ** 3],
  ['M', 1024 ** 2],
  ['K', 1024],
]);

/**
 * A number of bytes: `65536`, or with a unit, `64K`.
 *
 * @param plain what numbers without a unit count, in bytes. The value, its default and its bounds do so
 *   too; with MB the value may have a fraction.
 */
export function size(
  fallback: number,
  min: number,
  max: number,
  help: string,
  plain: 1 | 1_000_000 = 1,
): Setting<number> {
  const whole = integer(fallback, min, max, help);
  const [value, counted, shown] = plain === 1 ? ['SIZE', 'bytes', sizeText] : ['MB', 'MB', String];
  return {
    ...whole,
    shown: shown(fallback),
    value,
    allowed: `from ${shown(min)} to ${shown(max)}, in ${counted} or with K, M or G (1024-based)`,
    read(text) {
      const unit = SIZE_UNITS.get(text.slice(-1).toUpperCase());
      if (unit === undefined) return whole.read(text);
      const digits = text.slice(0, -1);
      const number = /^\d{1,15}$/.test(digits) ? (Number(digits) * unit) / plain : -1;
      return number >= min && number <= max ? number : undefined;
    },
  };
}

/** With the largest unit that leaves a whole number. */
function sizeText(bytes: number): string {
  for (const [unit, factor] of SIZE_UNITS) {
    if (bytes > 0 && bytes % factor === 0) return `${bytes / factor}${unit}`;
  }
  return String(bytes);
}

/** A number of seconds: `90`, or with units, as durations in queries: `1m30s`, `250ms`. */
export function duration(
  fallback: number,
  min: number,
  max: number,
  help: string,
): Setting<number> {
  const whole = integer(fallback, min, max, help);
  return {
    ...whole,
    shown: durationText(fallback),
    value: 'DURATION',
    allowed: `from ${durationText(min)} to ${durationText(max)}, in seconds or with units (h, m, s, ms)`,
    read(text) {
      if (!/^[\d.].*[a-z]$/.test(text)) return whole.read(text);
      const seconds = parseGoDuration(text);
      return seconds !== undefined && seconds >= min && seconds <= max ? seconds : undefined;
    },
  };
}

/** With the largest unit that leaves a whole number. */
function durationText(seconds: number): string {
  if (seconds > 0 && seconds % 3600 === 0) return `${seconds / 3600}h`;
  if (seconds > 0 && seconds % 60 === 0) return `${seconds / 60}m`;
  return `${seconds}s`;
}

/** Any text but none. */
export function string(
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

/** Texts with commas between them; none by default. */
export function list(value: string, help: string): Setting<readonly string[]> {
  return {
    default: [],
    shown: '',
    value,
    help,
    allowed: 'not empty, with commas between',
    read(text) {
      const members = text.split(',').map((member) => member.trim());
      return members.includes('') ? undefined : members;
    },
  };
}

/** Host names; `*` is any. Names are compared as browsers write them: lower case, Punycode. */
export function domains(help: string): Setting<readonly string[]> {
  const names = list('DOMAINS', help);
  return {
    ...names,
    allowed: 'host names without scheme and port, or *, with commas between',
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

/** Ranges of addresses with commas between them; none by default. */
export function networks(help: string): Setting<Networks | undefined> {
  return {
    default: undefined,
    shown: '',
    value: 'RANGES',
    help,
    allowed: 'addresses and ranges such as 10.0.0.0/8,2001:db8::/32',
    read(text) {
      const ranges = new Networks();
      return text.split(',').every((range) => ranges.add(range.trim())) ? ranges : undefined;
    },
  };
}

const MOST_WORKERS = 256;

/** How many processes; `auto` is as many as this machine runs at once. */
export function workerCount(help: string): Setting<number> {
  const count = integer(1, 1, MOST_WORKERS, help);
  return {
    ...count,
    allowed: `${count.allowed}, or auto`,
    read: (text) =>
      text === 'auto' ? Math.min(availableParallelism(), MOST_WORKERS) : count.read(text),
  };
}

const ON = ['true', 'yes', 'on', '1'];
const OFF = ['false', 'no', 'off', '0'];

/** On or off, off by default. */
export function toggle(help: string): Setting<boolean> {
  return {
    default: false,
    shown: '',
    help,
    allowed: [...ON, ...OFF].join(', '),
    read(text) {
      const word = text.toLowerCase();
      if (ON.includes(word)) return true;
      return OFF.includes(word) ? false : undefined;
    },
  };
}

/**
 * One of some words.
 *
 * @param example the one that `--help` shows how to ask for
 */
export function oneOf<const T extends string>(
  words: readonly T[],
  fallback: NoInfer<T>,
  example: NoInfer<T>,
  help: string,
): Setting<T> {
  return {
    default: fallback,
    shown: fallback,
    value: 'WORD',
    help,
    allowed: words.join(', '),
    choices: { words, example },
    read: (text) => words.find((word) => word === text),
  };
}

/** By OpenSSL's names; whether it has them is for this Node's OpenSSL to say. */
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
