import { listMembers, parseMediaType, type MediaType } from './media-type.ts';

interface Range {
  readonly media: MediaType;
  readonly quality: number;
}

/** Members that are looked at: a field that costs its client two bytes may have 8,000. */
const MAX_MEMBERS = 100;
/** qvalue (RFC 9110 12.4.2). */
const QUALITY = /^(?:0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/;

/**
 * Picks the representation that an Accept field likes best (RFC 9110 12.5.1).
 *
 * @param accept the field's value; without one, or with an empty one, anything is welcome
 * @param offers media types, parameters included, in the order we prefer them
 * @returns undefined where the client takes none of them
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

/** `preferred` of offers that stay. Most requests have the field of the one before, which is kept. */
export function mediaTypeNegotiator<const T extends string>(
  offers: readonly T[],
): (accept: string | undefined) => T | undefined {
  let known: string | undefined;
  let best = negotiateMediaType(known, offers);
  return (accept) => {
    if (accept !== known) {
      best = negotiateMediaType(accept, offers);
      known = accept;
    }
    return best;
  };
}

/** A member that is no media range, or whose weight is none, is as if it were not there. */
function parseRange(member: string): Range[] {
  const media = parseMediaType(member);
  if (!media) return [];
  const parameters = new Map(media.parameters);
  const weight = parameters.get('q') ?? '1';
  parameters.delete('q');
  return QUALITY.test(weight) ? [{ media: { ...media, parameters }, quality: Number(weight) }] : [];
}

/** The most specific range that matches decides, whatever the others say. */
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

/** How closely a range describes an offer; -1 where it does not. */
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
