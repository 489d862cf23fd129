import { parseMediaType, type MediaType } from './media-type.ts';
import { listMembers, QVALUE } from './syntax.ts';

interface Range {
  readonly media: MediaType;
  readonly quality: number;
}

/** Maximum number of list members that are parsed. A field may have 8,000 of two bytes. */
const MAX_MEMBERS = 100;
const QUALITY = new RegExp(`^(?:${QVALUE})$`);

/**
 * Selects a media type by an Accept field (RFC 9110 12.5.1).
 *
 * @param accept the field value; if undefined or empty, everything is acceptable
 * @param offers media types with parameters, in the server's order of preference
 * @returns undefined if none is acceptable
 */
export function negotiateMediaType<const T extends string>(
  accept: string | undefined,
  offers: readonly T[],
): T | undefined {
  if (accept === undefined || accept.trim() === '') return offers[0];
  const ranges = listMembers(accept).slice(0, MAX_MEMBERS).flatMap(parseRange);
  let best: T | undefined;
  let bestQuality = 0;
  for (const offer of offers) {
    const media = parseMediaType(offer);
    const quality = media ? qualityFor(media, ranges) : 0;
    if (quality <= bestQuality) continue;
    best = offer;
    bestQuality = quality;
  }
  return best;
}

/** Parses a media range with its weight; empty if malformed. */
function parseRange(member: string): Range[] {
  const media = parseMediaType(member);
  if (!media) return [];
  const parameters = new Map(media.parameters);
  const weight = parameters.get('q') ?? '1';
  parameters.delete('q');
  return QUALITY.test(weight) ? [{ media: { ...media, parameters }, quality: Number(weight) }] : [];
}

/** The weight of an offer: that of the most specific range that matches it. */
function qualityFor(offer: MediaType, ranges: readonly Range[]): number {
  let highest = -1;
  let quality = 0;
  for (const range of ranges) {
    const specificity = specificityOf(range.media, offer);
    if (specificity <= highest) continue;
    highest = specificity;
    ({ quality } = range);
  }
  return quality;
}

/** How specifically a range matches an offer; -1 if it does not. */
function specificityOf({ type, subtype, parameters }: MediaType, offer: MediaType): number {
  if (type === '*') return subtype === '*' && parameters.size === 0 ? 0 : -1;
  if (type !== offer.type) return -1;
  if (subtype === '*') return parameters.size === 0 ? 1 : -1;
  if (subtype !== offer.subtype) return -1;
  for (const [name, value] of parameters) {
    if (offer.parameters.get(name)?.toLowerCase() !== value.toLowerCase()) return -1;
  }
  return 2 + parameters.size;
}
