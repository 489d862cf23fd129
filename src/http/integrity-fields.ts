import { createHash, type Hash } from 'node:crypto';
import { fieldValue, type FieldLines } from './fields.ts';
import { isInnerList, parseDictionary } from './structured-fields.ts';

/**
 * Node's hash names by algorithm (RFC 9530 5), in wirebin's order of preference. The last two detect only accidental
 * changes.
 */
const HASHES = { 'sha-512': 'sha512', 'sha-256': 'sha256', sha: 'sha1', md5: 'md5' } as const;

export type DigestAlgorithm = keyof typeof HASHES;

export function isDigestAlgorithm(name: string): name is DigestAlgorithm {
  return Object.hasOwn(HASHES, name);
}

const algorithms = Object.keys(HASHES).filter(isDigestAlgorithm);

export function createDigest(algorithm: DigestAlgorithm): Hash {
  return createHash(HASHES[algorithm]);
}

/** Algorithms of the digests that a request wants (RFC 9530 4); undefined without any, or any supported one. */
export interface WantedDigests {
  readonly content: DigestAlgorithm | undefined;
  readonly repr: DigestAlgorithm | undefined;
}

/** The digests that Want-Content-Digest and Want-Repr-Digest ask for; undefined for nearly all requests. */
export function wantedDigests(fields: FieldLines): WantedDigests | undefined {
  for (let at = 0; at < fields.length; at += 2) {
    const name = fields[at] ?? '';
    // The first character is tested first, because this runs for every request.
    if ((name.charCodeAt(0) | 0x20) === W && /^want-(?:content|repr)-digest$/i.test(name)) {
      const content = preferred(fieldValue(fields, 'want-content-digest'));
      const repr = preferred(fieldValue(fields, 'want-repr-digest'));
      return content || repr ? { content, repr } : undefined;
    }
  }
  return undefined;
}

const W = 'w'.charCodeAt(0);
const MAX_PREFERENCE = 10;

/** Characters of a preference above which it is ignored (RFC 9530 4). All algorithms fit in 100. */
const MAX_WANTED = 1024;

/** The supported algorithm with the highest preference. 0 means not acceptable; invalid values are ignored. */
function preferred(field = ''): DigestAlgorithm | undefined {
  const wanted = field.length > MAX_WANTED ? undefined : parseDictionary(field);
  let best: DigestAlgorithm | undefined;
  let bestPreference = 0;
  for (const algorithm of algorithms) {
    const member = wanted?.get(algorithm);
    if (!member || isInnerList(member) || member.value.type !== 'integer') continue;
    const { value } = member.value;
    if (value <= bestPreference || value > MAX_PREFERENCE) continue;
    best = algorithm;
    bestPreference = value;
  }
  return best;
}

/** A value of Content-Digest or Repr-Digest (RFC 9530 2, 3): a dictionary with one byte sequence. */
export function serializeDigest(algorithm: DigestAlgorithm, digest: Buffer): string {
  return `${algorithm}=:${digest.toString('base64')}:`;
}

/**
 * The digests in Content-Digest or Repr-Digest, by algorithm, even unsupported ones.
 *
 * @returns undefined if the value is no dictionary of byte sequences
 */
export function parseDigests(field: string): ReadonlyMap<string, Buffer> | undefined {
  const members = parseDictionary(field);
  if (!members) return undefined;
  const digests = new Map<string, Buffer>();
  for (const [algorithm, member] of members) {
    if (isInnerList(member) || member.value.type !== 'bytes') return undefined;
    digests.set(algorithm, Buffer.from(member.value.value));
  }
  return digests;
}
