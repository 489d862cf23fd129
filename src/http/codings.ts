import { promisify } from 'node:util';
import * as zlib from 'node:zlib';
import { Problem } from './problem.ts';
import { fieldValue, type FieldLines } from './fields.ts';

/** Works beside the event loop: content can have many megabytes. */
export type Encode = (text: string) => Promise<Uint8Array>;

const brotli = promisify(zlib.brotliCompress);
// The default, 11, takes seconds for a megabyte.
const BROTLI = { params: { [zlib.constants.BROTLI_PARAM_QUALITY]: 5 } };

type Compress = (text: string, done: (error: Error | null, encoded: Buffer) => void) => void;

/** Node has it from 22.15 and 23.8 on. */
function hasZstd(module: object): module is { readonly zstdCompress: Compress } {
  return 'zstdCompress' in module;
}

/** The content codings (RFC 9110 8.4.1, RFC 7932, RFC 8878), in the order we prefer them. */
const encoders = {
  br: (text: string) => brotli(text, BROTLI),
  zstd: hasZstd(zlib) ? promisify(zlib.zstdCompress) : undefined,
  gzip: promisify<string, Buffer>(zlib.gzip),
  deflate: promisify<string, Buffer>(zlib.deflate),
} satisfies Record<string, Encode | undefined>;

export type Coding = keyof typeof encoders;

/** Encodes text; undefined where this Node has not the coding, which only zstd can be. */
export function encoderFor<C extends Coding>(coding: C): (typeof encoders)[C] {
  return encoders[coding];
}

function isCoding(name: string): name is Coding {
  return Object.hasOwn(encoders, name);
}

/** Those that this Node has. */
export const codings: readonly Coding[] = Object.keys(encoders)
  .filter(isCoding)
  .filter((name) => encoders[name] !== undefined);

const CODING_AND_WEIGHT =
  /^\s*([!#$%&'*+.^_`|~\w-]+)\s*(?:;\s*q=(0(?:\.\d{0,3})?|1(?:\.0{0,3})?)\s*)?$/i;

/**
 * Picks the coding that an Accept-Encoding field likes best (RFC 9110 12.5.3), of those it likes
 * alike the one we prefer, and any rather than none.
 *
 * @returns undefined where the client takes none of the offers, and `identity` neither
 */
export function negotiateCoding<const C extends string>(
  field: string | undefined,
  offers: readonly C[],
): C | 'identity' | undefined {
  const weights = parseWeights(field ?? '');
  const others = weights.get('*');
  let best: C | undefined;
  let bestWeight = 0;
  for (const offer of offers) {
    const weight = weights.get(offer) ?? others ?? 0;
    if (weight <= bestWeight) continue;
    best = offer;
    bestWeight = weight;
  }
  // Unless the field excludes it, no coding is acceptable too.
  const identity = weights.get('identity') ?? others;
  if (best === undefined) return identity === 0 ? undefined : 'identity';
  return (weights.get('identity') ?? 0) > bestWeight ? 'identity' : best;
}

/** The field of responses that depend on Accept-Encoding (RFC 9110 12.5.5). */
export const VARY_BY_CODING = ['Vary', 'Accept-Encoding'] as const;

const varyDoc = { Vary: '`Accept-Encoding`' };

/** What responses that depend on it are documented with. */
export const codingDocs = {
  /** The fields of the 200. */
  fields: {
    ...varyDoc,
    'Content-Encoding': 'br, zstd, gzip or deflate; none for `identity`.',
  },
  406: {
    description: 'Accept-Encoding takes no coding that is there, and content without one neither.',
    content: ['application/problem+json'],
    fields: varyDoc,
  },
} as const;

/**
 * The coding that a request likes best, of those that this Node has.
 *
 * @returns undefined for content without one
 * @throws Problem not-acceptable
 */
export function negotiateEncoder(
  fields: FieldLines,
): { readonly coding: Coding; readonly encode: Encode } | undefined {
  const coding = negotiateCoding(fieldValue(fields, 'accept-encoding'), codings);
  if (coding === 'identity') return undefined;
  const encode = coding && encoders[coding];
  if (!encode) {
    const what = `the codings are ${codings.join(', ')}, identity`;
    throw new Problem('not-acceptable', what, VARY_BY_CODING);
  }
  return { coding, encode };
}

/** The codings by lower-case name; a member that is malformed is as if it were not there. */
function parseWeights(field: string): ReadonlyMap<string, number> {
  const weights = new Map<string, number>();
  for (const member of field.split(',')) {
    const [, name, weight = '1'] = CODING_AND_WEIGHT.exec(member) ?? [];
    if (name === undefined) continue;
    // RFC 9110 8.4.1.3: x-gzip is gzip.
    weights.set(name.toLowerCase().replace(/^x-gzip$/, 'gzip'), Number(weight));
  }
  return weights;
}
