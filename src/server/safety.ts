import { parseMediaType } from '../http/media-type.ts';
import type { QueryPairs } from '../http/query.ts';

/** Disables content sniffing in browsers (Fetch 3.6). For responses whose content a client controls. */
export const NOSNIFF = ['X-Content-Type-Options', 'nosniff'] as const;

/** NOSNIFF, unless the client has chosen that field itself: it must not be repeated. */
export function nosniffFor(chosen: QueryPairs): readonly string[] {
  return chosen.some(([name]) => name.toLowerCase() === 'x-content-type-options') ? [] : NOSNIFF;
}

/** Documentation of NOSNIFF for OpenAPI. */
export const nosniffDoc = { 'X-Content-Type-Options': '`nosniff`' };

/** Types that browsers display or download but never execute. */
const INERT_TYPES = new Set(['text/plain', 'application/json', 'application/octet-stream']);
const MEDIA = new Set(['image', 'audio', 'video', 'font']);

/** Whether a browser might execute this type even without sniffing: HTML, SVG, and unknown types. */
export function isExecutableType(contentType: string): boolean {
  const media = parseMediaType(contentType);
  if (!media) return true;
  const { type, subtype } = media;
  return !INERT_TYPES.has(`${type}/${subtype}`) && (!MEDIA.has(type) || subtype.includes('xml'));
}

/** Escapes `<`, `>` and `&` in JSON text. The JSON value stays the same. */
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

/** Replaces markup bytes by character references. They are markup in all encodings that browsers support. */
export function escapeMarkup(bytes: Buffer): Buffer {
  const text = bytes.toString('latin1');
  return Buffer.from(
    text.replace(/[&<>"']/g, (character) => REFERENCES.get(character) ?? ''),
    'latin1',
  );
}
