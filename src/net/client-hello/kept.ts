import { parseClientHello, type ClientHello } from './parser.ts';
import { ja3, ja4, md5 } from '../fingerprints.ts';
import { isPostQuantum } from '../tls-names.ts';

/** Bytes of the longest ClientHello that is kept whole; those of real clients have at most 4 KiB. */
export const MAX_STORED_HELLO = 8 * 1024;
/** Names and versions that are kept of a longer one, which may list thousands. */
const MAX_NAMES = 20;
/** Characters of a host name (RFC 1035 2.3.4). */
const MAX_SERVER_NAME = 255;

/** What every connection over TLS tells of its client. */
export interface HelloFacts {
  readonly serverName: string | undefined;
  /** undefined for a ClientHello that is not kept whole: it may be three times as long. */
  readonly ja3: string | undefined;
  readonly ja3Hash: string;
  readonly ja4: string;
  /** The first ones that are offered. */
  readonly alpn: readonly string[] | undefined;
  /** The first ones that are offered. */
  readonly versions: readonly number[];
  readonly offersPostQuantum: boolean;
}

/** What is kept of a ClientHello over `MAX_KEPT_HELLO`. */
export interface HelloSummary {
  /** In bytes, with its record headers. */
  readonly length: number;
  /** undefined for what is no ClientHello. */
  readonly facts: HelloFacts | undefined;
}

/** A ClientHello as it came, with its record headers; of a long one what is kept of it. */
export type StoredHello = Uint8Array | HelloSummary;

/** What a connection keeps of its ClientHello once the handshake is over. */
export function shortenHello(hello: StoredHello): StoredHello {
  if (!(hello instanceof Uint8Array) || hello.length <= MAX_STORED_HELLO) return hello;
  const facts = extractFacts(hello);
  return { length: hello.length, facts: facts && { ...facts, ja3: undefined } };
}

/** undefined for what is no ClientHello. */
export function helloFacts(hello: StoredHello): HelloFacts | undefined {
  return hello instanceof Uint8Array ? extractFacts(hello) : hello.facts;
}

/** The ClientHello taken apart; undefined where it is not kept whole. */
export function fullClientHello(hello: StoredHello): ClientHello | undefined {
  return hello instanceof Uint8Array ? parseClientHello(hello) : undefined;
}

export function offersPostQuantum({ supportedGroups }: ClientHello): boolean {
  return supportedGroups?.some(isPostQuantum) ?? false;
}

function extractFacts(bytes: Uint8Array): HelloFacts | undefined {
  const hello = parseClientHello(bytes);
  if (!hello) return undefined;
  const { serverName, alpn, supportedVersions, legacyVersion } = hello;
  const fingerprint = ja3(hello);
  return {
    serverName: serverName && truncateServerName(serverName),
    ja3: fingerprint,
    ja3Hash: md5(fingerprint),
    ja4: ja4(hello).ja4,
    alpn: alpn?.slice(0, MAX_NAMES),
    versions: (supportedVersions ?? [legacyVersion]).slice(0, MAX_NAMES),
    offersPostQuantum: offersPostQuantum(hello),
  };
}

/** A copy: V8's own slice of a long text would keep all of it. */
function truncateServerName(name: string): string {
  if (name.length <= MAX_SERVER_NAME) return name;
  return Buffer.from(name.slice(0, MAX_SERVER_NAME), 'latin1').toString('latin1');
}
