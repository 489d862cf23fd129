import { availableParallelism } from 'node:os';
import { createSecureContext } from 'node:tls';
import { Networks } from './wire/address.ts';

/** One setting: its environment variable and flag share the name, its value has one reader. */
export interface Setting<T> {
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

/** On or off, off by default. */
export function toggle(help: string): Setting<boolean> {
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

/** One of some words. */
export function oneOf<const T extends string>(
  words: readonly T[],
  fallback: T,
  help: string,
): Setting<T> {
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
