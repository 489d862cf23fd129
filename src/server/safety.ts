import { parseMediaType } from '../http/media-type.ts';
import type { QueryPairs } from '../http/query.ts';

/**
 * Has browsers believe Content-Type instead of looking at the content (Fetch 3.6): for whatever a
 * client has shaped.
 */
export const NOSNIFF = ['X-Content-Type-Options', 'nosniff'] as const;

/** NOSNIFF for fields that a client has chosen, unless it has chosen that too: a field of one value. */
export function nosniffFor(chosen: QueryPairs): readonly string[] {
  return chosen.some(([name]) => name.toLowerCase() === 'x-content-type-options') ? [] : NOSNIFF;
}

/** NOSNIFF as documents have it. */
export const nosniffDoc = { 'X-Content-Type-Options': '`nosniff`' };

/** Subtypes that are shown or offered for saving, whatever they hold. */
const SHOWN = new Set(['text/plain', 'application/json', 'application/octet-stream']);
const MEDIA = new Set(['image', 'audio', 'video', 'font']);

/** Whether a browser that does not sniff might run content of the type: HTML, SVG, what it alone knows. */
export function isExecutableType(contentType: string): boolean {
  const media = parseMediaType(contentType);
  if (!media) return true;
  const { type, subtype } = media;
  return !SHOWN.has(`${type}/${subtype}`) && (!MEDIA.has(type) || subtype.includes('xml'));
}

/** JSON that says the same and has no character that markup begins with. */
export function escapeMarkupInJson(json: string): string {
  return json.replace(/[<>&]/g, (character) => `\\u00${character.charCodeAt(0).toString(16)}`);
}

const REFERENCES = new Map([
  ['&', '&amp;'],
  ['<', '&lt;'],
  ['>', '&gt;'],
  ['"', '&#34;'],
  ["'", '&#39;'],
]);

/** The bytes with character references for what is markup in every encoding that browsers know. */
export function escapeMarkup(bytes: Buffer): Buffer {
  const text = bytes.toString('latin1');
  return Buffer.from(
    text.replace(/[&<>"']/g, (character) => REFERENCES.get(character) ?? ''),
    'latin1',
  );
}
