import { parseClientHello, type ClientHello } from '../wire/tls/client-hello.ts';
import { ja3, ja3n, ja4, md5 } from './fingerprints.ts';
import { isPostQuantum, isRegisteredGroup } from '../wire/tls/names.ts';

/** Length of the longest ClientHello that is stored in full, in bytes. Real clients send at most 4 KiB. */
export const MAX_STORED_HELLO = 8 * 1024;
/** Maximum number of protocols, and of versions, in the facts about a ClientHello, which may list thousands. */
const MAX_NAMES = 20;
/** Maximum length of a host name in bytes (RFC 1035 2.3.4). */
const MAX_SERVER_NAME = 255;

/** Facts that are derived from every ClientHello. */
export interface HelloFacts {
  readonly serverName: string | undefined;
  /** undefined if the ClientHello is not stored in full: the JA3 text may be three times as long. */
  readonly ja3: string | undefined;
  readonly ja3Hash: string;
  /** undefined as `ja3` is. */
  readonly ja3n: string | undefined;
  readonly ja3nHash: string;
  readonly ja4: string;
  /** The first 20 protocols offered. */
  readonly alpn: readonly string[] | undefined;
  /** The first 20 versions offered. */
  readonly versions: readonly number[];
  readonly offersPostQuantum: boolean;
  /** Groups with a key share, in order. Unregistered ones are left out, so that there are at most 50 or so. */
  readonly keyShareGroups: readonly number[];
}

/** Summary of a ClientHello that is longer than `MAX_STORED_HELLO`. */
export interface HelloSummary {
  /** Length in bytes, including record headers. */
  readonly length: number;
  /** undefined if it is not a valid ClientHello. */
  readonly facts: HelloFacts | undefined;
}

/** A ClientHello as sent, including record headers, or the summary of a long one. */
export type StoredHello = Uint8Array | HelloSummary;

/** Replaces a long ClientHello with its summary. Call after the handshake. */
export function shortenHello(hello: StoredHello): StoredHello {
  if (!(hello instanceof Uint8Array) || hello.length <= MAX_STORED_HELLO) return hello;
  const facts = extractFacts(hello);
  return { length: hello.length, facts: facts && { ...facts, ja3: undefined, ja3n: undefined } };
}

/** Facts about a ClientHello; undefined if it is not valid. */
export function helloFacts(hello: StoredHello): HelloFacts | undefined {
  return hello instanceof Uint8Array ? extractFacts(hello) : hello.facts;
}

/** The parsed ClientHello; undefined if it is not stored in full. */
export function fullClientHello(hello: StoredHello): ClientHello | undefined {
  return hello instanceof Uint8Array ? parseClientHello(hello) : undefined;
}

export function offersPostQuantum({ supportedGroups }: ClientHello): boolean {
  return supportedGroups?.some(isPostQuantum) ?? false;
}

function keyShareGroups({ keyShares = [] }: ClientHello): readonly number[] {
  return [...new Set(keyShares.map(({ group }) => group).filter(isRegisteredGroup))];
}

function extractFacts(bytes: Uint8Array): HelloFacts | undefined {
  const hello = parseClientHello(bytes);
  if (!hello) return undefined;
  const { serverName, alpn, supportedVersions, legacyVersion } = hello;
  const inOrder = ja3(hello);
  const sorted = ja3n(hello);
  return {
    serverName: serverName && truncateServerName(serverName),
    ja3: inOrder,
    ja3Hash: md5(inOrder),
    ja3n: sorted,
    ja3nHash: md5(sorted),
    ja4: ja4(hello).ja4,
    alpn: alpn?.slice(0, MAX_NAMES),
    versions: (supportedVersions ?? [legacyVersion]).slice(0, MAX_NAMES),
    offersPostQuantum: offersPostQuantum(hello),
    keyShareGroups: keyShareGroups(hello),
  };
}

/** Truncates a long name to a copy: a V8 slice would retain the whole string. */
function truncateServerName(name: string): string {
  if (name.length <= MAX_SERVER_NAME) return name;
  return Buffer.from(name.slice(0, MAX_SERVER_NAME), 'latin1').toString('latin1');
}
