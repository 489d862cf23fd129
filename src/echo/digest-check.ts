import type { Hash } from 'node:crypto';
import { fieldValue, type FieldLines } from '../http/fields.ts';
import {
  createDigest,
  isDigestAlgorithm,
  parseDigests,
  type DigestAlgorithm,
} from '../http/integrity-fields.ts';
import type { Request } from '../server/request.ts';
import { DIGEST_FIELDS as FIELDS, type Echo } from './echo-schema.ts';

/** Maximum number of digests in a field that are shown. RFC 9530 registers ten algorithms. */
const MAX_SHOWN = 16;

type Check = NonNullable<Echo['digest']>[number];

/** The digests of a request, compared with those of its content. */
export type CheckedDigests = readonly Check[];

/** Checks the digests of a request whose content and trailers were read; undefined if it has none. */
export function checkDigests(request: Request, content: Uint8Array): CheckedDigests | undefined {
  const check = DigestCheck.of(request);
  check?.update(content);
  return check?.results();
}

/** Checks Content-Digest and Repr-Digest of a request against its content (RFC 9530). */
export class DigestCheck {
  readonly #request: Request;
  readonly #hashes = new Map<DigestAlgorithm, Hash>();

  private constructor(request: Request, algorithms: Iterable<string>) {
    this.#request = request;
    for (const algorithm of algorithms) {
      if (isDigestAlgorithm(algorithm)) this.#hashes.set(algorithm, createDigest(algorithm));
    }
  }

  /**
   * Call before the content is read, or after all of it, including trailers, was read.
   *
   * @returns undefined if the request has no digests
   */
  static of(request: Request): DigestCheck | undefined {
    const { fields, trailers } = request;
    const isAnnounced = request.hasBody && announcesDigest(fields);
    if (!isAnnounced && !hasDigest(fields) && !hasDigest(trailers)) return undefined;
    // Trailers arrive after the content, so their algorithms are not known yet.
    const algorithms = isAnnounced ? ['sha-256', 'sha-512'] : [];
    for (const { lines } of sectionsOf(request)) {
      for (const name of FIELDS) {
        algorithms.push(...(parseDigests(fieldValue(lines, name) ?? '')?.keys() ?? []));
      }
    }
    return new DigestCheck(request, algorithms);
  }

  update(content: Uint8Array): void {
    for (const hash of this.#hashes.values()) hash.update(content);
  }

  /** The sent digests, and those of the content. Call once, after content and trailers were read. */
  results(): Check[] {
    const actual = new Map<string, Buffer>();
    for (const [algorithm, hash] of this.#hashes) actual.set(algorithm, hash.digest());
    const isPart = fieldValue(this.#request.fields, 'content-range') !== undefined;
    return sectionsOf(this.#request).flatMap(({ section, lines }) =>
      FIELDS.flatMap((field) => {
        const value = fieldValue(lines, field);
        if (value === undefined) return [];
        const known = isPart && field === 'repr-digest' ? undefined : actual;
        return checks({ field, section }, value, known);
      }),
    );
  }
}

type Section = Pick<Check, 'field' | 'section'>;

/** Compares digests. @param actual undefined if the content is not the representation */
function checks(
  { field, section }: Section,
  value: string,
  actual: ReadonlyMap<string, Buffer> | undefined,
): Check[] {
  const digests = parseDigests(value);
  if (!digests) {
    const reason = 'is not a dictionary of byte sequences (RFC 9530 2)';
    return [
      { field, section, algorithm: null, expected: value, actual: null, match: null, reason },
    ];
  }
  return Array.from(digests)
    .slice(0, MAX_SHOWN)
    .map(([algorithm, digest]) => {
      const found = actual?.get(algorithm);
      return {
        field,
        section,
        algorithm,
        expected: digest.toString('base64'),
        actual: found?.toString('base64') ?? null,
        match: found?.equals(digest) ?? null,
        reason: found ? undefined : unknownReason(algorithm, actual !== undefined),
      };
    });
}

function unknownReason(algorithm: string, isWhole: boolean): string {
  if (!isWhole) return 'the content is a part (Content-Range)';
  return isDigestAlgorithm(algorithm)
    ? 'only sha-256 and sha-512 are computed for trailers'
    : 'the algorithm is not supported';
}

function sectionsOf({ fields, trailers }: Request) {
  const header = { section: 'header', lines: fields } as const;
  return trailers.length === 0
    ? [header]
    : [header, { section: 'trailer', lines: trailers } as const];
}

/** Whether there is a digest field. It runs for every echo, so lines are not combined. */
function hasDigest(lines: FieldLines): boolean {
  for (let at = 0; at < lines.length; at += 2) {
    const name = lines[at] ?? '';
    if (name.length !== FIELDS[0].length && name.length !== FIELDS[1].length) continue;
    if (/^(?:content|repr)-digest$/i.test(name)) return true;
  }
  return false;
}

function announcesDigest(fields: FieldLines): boolean {
  return /\b(?:content|repr)-digest\b/i.test(fieldValue(fields, 'trailer') ?? '');
}
