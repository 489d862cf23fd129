import { randomBytes } from 'node:crypto';
import { promisify } from 'node:util';
import * as zlib from 'node:zlib';
import { Problem } from './problem.ts';
import { fieldValue, type FieldLines } from './fields.ts';
import { listMembers, QVALUE, TOKEN } from './syntax.ts';

/** Encodes content in the thread pool, because it may be many megabytes. */
export type Encode = (content: string | Uint8Array) => Promise<Uint8Array>;

const brotli = promisify(zlib.brotliCompress);
// Not the default quality, 11, which takes seconds per megabyte.
const BROTLI = { params: { [zlib.constants.BROTLI_PARAM_QUALITY]: 5 } };

type Compress = (
  content: string | Uint8Array,
  options: object,
  done: (error: Error | null, encoded: Buffer) => void,
) => void;

type CompressSync = (content: Uint8Array, options: object) => Buffer;

/** ZSTD_c_checksumFlag, which the types for Node 20 lack. Off by default. */
const CHECKSUM = { params: { 201: 1 } };

/** Whether Node has zstd: from 22.15 and 23.8. */
function hasZstd(
  module: object,
): module is { readonly zstdCompress: Compress; readonly zstdCompressSync: CompressSync } {
  return 'zstdCompress' in module;
}

/** zstd with the checksum of the content, if this Node supports zstd. */
export const encodeZstdWithChecksum: Encode | undefined = zstdWith(CHECKSUM);

function zstdWith(options: object): Encode | undefined {
  if (!hasZstd(zlib)) return undefined;
  const compress = promisify(zlib.zstdCompress);
  return (content) => compress(content, options);
}

/** zstd with a dictionary; undefined if this Node has none, since it would ignore the option. */
export function zstdWithDictionary(dictionary: Uint8Array): Encode | undefined {
  return hasZstdDictionaries() ? zstdWith({ dictionary }) : undefined;
}

let zstdDictionaries: boolean | undefined;

/** Whether zstd supports a dictionary: from Node 22.19 and 24.6. The first call finds out. */
function hasZstdDictionaries(): boolean {
  zstdDictionaries ??= hasZstd(zlib) && isShortenedBy(zlib.zstdCompressSync);
  return zstdDictionaries;
}

/** Whether content that only the dictionary can shorten becomes shorter. */
function isShortenedBy(compress: CompressSync): boolean {
  const sample = randomBytes(256);
  return compress(sample, { dictionary: sample }).length < sample.length;
}

/** Content codings (RFC 9110 8.4.1, RFC 7932, RFC 8878) in order of preference. */
const encoders = {
  br: (content: string | Uint8Array) => brotli(content, BROTLI),
  zstd: zstdWith({}),
  gzip: promisify<string | Uint8Array, Buffer>(zlib.gzip),
  deflate: promisify<string | Uint8Array, Buffer>(zlib.deflate),
} satisfies Record<string, Encode | undefined>;

export type Coding = keyof typeof encoders;

/** undefined if this Node does not support the coding, which can only be zstd. */
export function encoderFor<C extends Coding>(coding: C): (typeof encoders)[C] {
  return encoders[coding];
}

function isCoding(name: string): name is Coding {
  return Object.hasOwn(encoders, name);
}

/** The codings that this Node supports. */
export const codings: readonly Coding[] = Object.keys(encoders)
  .filter(isCoding)
  .filter((name) => encoders[name] !== undefined);

const MEMBER = new RegExp(`^(${TOKEN})[\\t ]*(?:;[\\t ]*q=(${QVALUE}))?$`, 'i');

/**
 * Selects a content coding by Accept-Encoding (RFC 9110 12.5.3). With equal weights, the first offer is selected, and
 * any coding precedes `identity`.
 *
 * @returns undefined if neither an offer nor `identity` is acceptable
 */
export function negotiateCoding<const C extends string>(
  field: string | undefined,
  offers: readonly C[],
): C | 'identity' | undefined {
  const weights = parseWeights(field ?? '');
  let best: C | undefined;
  let bestWeight = 0;
  for (const offer of offers) {
    const weight = weightOf(offer, weights) ?? 0;
    if (weight <= bestWeight) continue;
    best = offer;
    bestWeight = weight;
  }
  // identity is acceptable unless the field excludes it.
  const identity = weightOf('identity', weights);
  if (best === undefined) return identity === 0 ? undefined : 'identity';
  return (weights.get('identity') ?? 0) > bestWeight ? 'identity' : best;
}

/** Whether Accept-Encoding names a coding, or any, with a weight above 0 (RFC 9110 12.5.3). */
export function acceptsCoding(field: string | undefined, coding: string): boolean {
  return (weightOf(coding, parseWeights(field ?? '')) ?? 0) > 0;
}

/** The weight of a coding, which is that of `*` unless it is named. */
function weightOf(coding: string, weights: ReadonlyMap<string, number>): number | undefined {
  return weights.get(coding) ?? weights.get('*');
}

/** Field of responses that depend on Accept-Encoding (RFC 9110 12.5.5). */
export const VARY_BY_CODING = ['Vary', 'Accept-Encoding'] as const;

const varyDoc = { Vary: '`Accept-Encoding`' };

/** OpenAPI documentation of responses that depend on Accept-Encoding. */
export const codingDocs = {
  /** Fields of the 200 response. */
  fields: {
    ...varyDoc,
    'Content-Encoding': 'br, zstd, gzip or deflate; none for `identity`.',
  },
  406: {
    description: 'Accept-Encoding allows none of the available codings, nor identity.',
    content: ['application/problem+json'],
    fields: varyDoc,
  },
} as const;

/**
 * Selects a coding that this Node supports for the response to a request.
 *
 * @param first further codings, which are preferred, by name
 * @param vary of the response
 * @returns undefined for `identity`
 * @throws Problem not-acceptable
 */
export function negotiateEncoder(
  fields: FieldLines,
  first: Readonly<Record<string, Encode>> = {},
  vary: readonly string[] = VARY_BY_CODING,
): { readonly coding: string; readonly encode: Encode } | undefined {
  const offers = [...Object.keys(first), ...codings];
  const coding = negotiateCoding(fieldValue(fields, 'accept-encoding'), offers);
  if (coding === 'identity') return undefined;
  const encode = coding === undefined ? undefined : (first[coding] ?? encoderByName(coding));
  if (coding === undefined || !encode) {
    const detail = `the available codings are ${offers.join(', ')}, identity`;
    throw new Problem('not-acceptable', detail, vary);
  }
  return { coding, encode };
}

function encoderByName(name: string): Encode | undefined {
  return isCoding(name) ? encoders[name] : undefined;
}

/** Weights by lower-case coding. Malformed members are ignored. */
function parseWeights(field: string): ReadonlyMap<string, number> {
  const weights = new Map<string, number>();
  for (const member of listMembers(field)) {
    const [, name, weight = '1'] = MEMBER.exec(member) ?? [];
    if (name === undefined) continue;
    // x-gzip means gzip (RFC 9110 8.4.1.3).
    weights.set(name.toLowerCase().replace(/^x-gzip$/, 'gzip'), Number(weight));
  }
  return weights;
}
