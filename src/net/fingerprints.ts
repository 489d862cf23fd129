import { createHash } from 'node:crypto';
import type { ClientHello } from '../wire/tls/client-hello.ts';
import type { FrameHeader } from '../wire/http2/frame.ts';
import type { FramePayload, Priority, Setting } from '../wire/http2/frame-payload.ts';
import { isGrease, isGreaseProtocol } from '../wire/tls/grease.ts';
import { ExtensionType } from '../wire/tls/extensions.ts';

/** JA3: the values that a ClientHello offers, in order and in decimal, without GREASE. */
export function ja3(hello: ClientHello): string {
  return ja3Text(hello, extensionIds(hello));
}

/** JA3 with the extensions in numerical order, which stays the same if a client shuffles them. */
export function ja3n(hello: ClientHello): string {
  return ja3Text(
    hello,
    extensionIds(hello).toSorted((a, b) => a - b),
  );
}

function extensionIds({ extensions }: ClientHello): number[] {
  return extensions.map(({ id }) => id);
}

function ja3Text(hello: ClientHello, extensions: readonly number[]): string {
  const lists = [
    hello.cipherSuites,
    extensions,
    hello.supportedGroups ?? [],
    hello.pointFormats ?? [],
  ];
  const texts = lists.map((list) => list.filter((value) => !isGrease(value)).join('-'));
  return [hello.legacyVersion, ...texts].join(',');
}

/** Maximum number of PRIORITY frames kept. Browsers send up to six. */
const MAX_PRIORITIES = 64;

/** Collects the parts of a client's HTTP/2 fingerprint. PRIORITY frames count even after the first request. */
export class ClientOpening {
  /** PRIORITY frames, in order. */
  readonly priorities: (Priority & { readonly stream: number })[] = [];
  prioritiesLeftOut = 0;
  /** Contents of the client's first SETTINGS frame; undefined until it arrives. */
  settings: readonly Setting[] | undefined;
  /** Increment of the client's first WINDOW_UPDATE for the connection; undefined until it arrives. */
  increment: number | undefined;

  /** Call with each frame of the client. */
  add({ stream, payload }: Pick<FrameHeader, 'stream'> & { readonly payload: FramePayload }): void {
    if (payload.kind === 'settings' && !payload.ack) this.settings ??= payload.settings;
    else if (payload.kind === 'window-update' && stream === 0) {
      this.increment ??= payload.increment;
    } else if (payload.kind === 'priority') {
      if (this.priorities.length === MAX_PRIORITIES) this.prioritiesLeftOut++;
      else this.priorities.push({ stream, ...payload.priority });
    }
  }
}

/**
 * Akamai's fingerprint of an HTTP/2 client: SETTINGS, WINDOW_UPDATE and PRIORITY frames, and the order of the
 * pseudo-header fields (Shuster, Passive Fingerprinting of HTTP/2 Clients, 2017).
 *
 * @param pseudoHeaders names of the pseudo-header fields, in the order sent
 */
export function akamaiFingerprint(
  {
    settings = [],
    increment = 0,
    priorities,
  }: Pick<ClientOpening, 'settings' | 'increment' | 'priorities'>,
  pseudoHeaders: readonly string[],
): string {
  const priorityTexts = priorities.map(
    ({ stream, exclusive, dependsOn, weight }) =>
      `${stream}:${exclusive ? 1 : 0}:${dependsOn}:${weight}`,
  );
  return [
    settings.map(({ id, value }) => `${id}:${value}`).join(';'),
    increment === 0 ? '00' : String(increment),
    priorityTexts.join(',') || '0',
    pseudoHeaders.map((name) => name.slice(1, 2)).join(','),
  ].join('|');
}

/** The MD5 in hexadecimal, the usual form of JA3 and Akamai fingerprints. */
export function md5(fingerprint: string): string {
  return createHash('md5').update(fingerprint).digest('hex');
}

/**
 * JA4 of a ClientHello over TCP (FoxIO, technical_details/JA4.md) in its four forms: hashed or raw (`r`), sorted or in
 * the client's order (`o`).
 */
export function ja4(hello: ClientHello) {
  const ciphers = hexCodes(hello.cipherSuites);
  const extensions = hexCodes(extensionIds(hello));
  const signatures = hexCodes(hello.signatureAlgorithms ?? []);
  const start = [
    't',
    versionCode(hello),
    hello.extensions.some(({ id }) => id === ExtensionType.serverName) ? 'd' : 'i',
    countCode(ciphers),
    countCode(extensions),
    alpnCode(hello.alpn?.find((name) => !isGreaseProtocol(name))),
  ].join('');

  // SNI and ALPN depend on the server, and the first part of JA4 covers them.
  const skip = new Set(hexCodes([ExtensionType.serverName, ExtensionType.alpn]));
  const sorted = [
    ciphers.toSorted().join(','),
    withSignatures(extensions.filter((code) => !skip.has(code)).toSorted(), signatures),
  ];
  const original = [ciphers.join(','), withSignatures(extensions, signatures)];
  return {
    ja4: hashedParts(start, sorted),
    ja4_r: rawParts(start, sorted),
    ja4_o: hashedParts(start, original),
    ja4_ro: rawParts(start, original),
  };
}

/** JA4 or JA4H with each list of values hashed. @param lists one character per byte */
export function hashedParts(start: string, lists: readonly string[]): string {
  return rawParts(start, lists.map(hash));
}

/** JA4 or JA4H with all values. */
export function rawParts(start: string, lists: readonly string[]): string {
  return [start, ...lists].join('_');
}

/** Values as four hexadecimal digits each, without GREASE. */
function hexCodes(values: readonly number[]): string[] {
  return values
    .filter((value) => !isGrease(value))
    .map((value) => value.toString(16).padStart(4, '0'));
}

const VERSION_CODES = new Map([
  [0x0304, '13'],
  [0x0303, '12'],
  [0x0302, '11'],
  [0x0301, '10'],
  [0x0300, 's3'],
  [0x0002, 's2'],
  // A client may list DTLS versions, even over TCP.
  [0xfeff, 'd1'],
  [0xfefd, 'd2'],
  [0xfefc, 'd3'],
]);

/** Code of the highest version offered, or of `legacy_version` without the extension supported_versions. */
function versionCode({ supportedVersions, legacyVersion }: ClientHello): string {
  const versions = supportedVersions?.filter((value) => !isGrease(value));
  const version = versions ? Math.max(0, ...versions) : legacyVersion;
  return VERSION_CODES.get(version) ?? '00';
}

/** A number of values in two digits, at most 99. */
export function countCode({ length }: readonly string[]): string {
  return String(Math.min(length, 99)).padStart(2, '0');
}

/**
 * First and last character of the first ALPN protocol that is not GREASE, or of its hexadecimal form if one of them is
 * not an ASCII letter or digit.
 */
function alpnCode(name = ''): string {
  if (name === '') return '00';
  const ends = `${name.at(0)}${name.at(-1)}`;
  if (/^[0-9A-Za-z]{2}$/.test(ends)) return ends;
  const hex = Buffer.from(name, 'latin1').toString('hex');
  return `${hex.at(0)}${hex.at(-1)}`;
}

function withSignatures(extensions: readonly string[], signatures: readonly string[]): string {
  const list = extensions.join(',');
  return signatures.length === 0 ? list : `${list}_${signatures.join(',')}`;
}

/** First 12 hexadecimal digits of SHA-256; zeros for an empty list. */
function hash(list: string): string {
  return list === ''
    ? '000000000000'
    : createHash('sha256').update(list, 'latin1').digest('hex').slice(0, 12);
}
