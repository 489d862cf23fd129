import { parseMediaType } from '../http/media-type.ts';
import type { QueryPairs } from '../http/query.ts';
import { pullBytes, pullSource, repeatable, type Repeatable } from './payload.ts';

/** Disables content sniffing in browsers (Fetch 3.6). For responses whose content a client controls. */
export const NOSNIFF = ['X-Content-Type-Options', 'nosniff'] as const;

/** NOSNIFF, unless the client has chosen that field: it must not be repeated. */
export function nosniffFor(chosen: QueryPairs): readonly string[] {
  return chosen.some(([name]) => name.toLowerCase() === 'x-content-type-options') ? [] : NOSNIFF;
}

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

/** What replaces bytes of markup. */
interface Escapes {
  /** The bytes that are replaced. */
  readonly bytes: readonly number[];
  /** Replacements, indexed by byte. */
  readonly texts: readonly (Uint8Array | undefined)[];
  /** Number of bytes that each replacement adds, indexed by byte. */
  readonly added: Uint8Array;
  /** The same for pairs of bytes as 16-bit numbers in machine byte order. Made on demand, for large content. */
  readonly addedByPair: () => Uint8Array;
}

export function escapesOf(escapes: Readonly<Record<string, string>>): Escapes {
  const bytes: number[] = [];
  const texts = Array<Uint8Array | undefined>(256);
  const added = new Uint8Array(256);
  for (const [character, escape] of Object.entries(escapes)) {
    const byte = character.charCodeAt(0);
    bytes.push(byte);
    texts[byte] = Buffer.from(escape);
    added[byte] = escape.length - 1;
  }
  let pairs: Uint8Array | undefined;
  const addedByPair = () => (pairs ??= pairsOf(added));
  return { bytes, texts, added, addedByPair };
}

function pairsOf(added: Uint8Array): Uint8Array {
  return Uint8Array.from(
    { length: 2 ** 16 },
    (_, pair) => (added[pair & 0xff] ?? 0) + (added[pair >> 8] ?? 0),
  );
}

/** Character references for markup. These bytes are markup in all encodings that browsers support. */
export const REFERENCES = escapesOf({
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&#34;',
  "'": '&#39;',
});

/** Escapes of markup in JSON text, which do not change its value. */
export const MARKUP_IN_JSON = { '<': '\\u003c', '>': '\\u003e', '&': '\\u0026' };
export const JSON_ESCAPES = escapesOf(MARKUP_IN_JSON);

/** Replaces markup with character references. Use `escapedContent` for megabytes of content. */
export function escapeMarkup(bytes: Buffer): Buffer {
  return escapeBytes(bytes, REFERENCES);
}

export function escapeMarkupInJson(json: string): string {
  return escapeBytes(Buffer.from(json), JSON_ESCAPES).toString();
}

/** Bytes that are escaped at a time. */
const BLOCK = 4096;

/** Content with escapes that are made as it is sent: 2 MiB of `<` become 12 MiB. */
export function escapedContent(bytes: Buffer, escapes: Escapes): Repeatable {
  const length = escapedLength(bytes, escapes);
  if (length === bytes.length) return { ...pullBytes(bytes), held: bytes.length };
  return repeatable(() => {
    let at = 0;
    let block: Buffer = Buffer.alloc(0);
    const source = pullSource(length, (size) => {
      if (block.length === 0) {
        block = escapeBytes(bytes.subarray(at, at + BLOCK), escapes);
        at += BLOCK;
      }
      const piece = block.subarray(0, size);
      block = block.subarray(piece.length);
      return piece;
    });
    return { ...source, held: bytes.length };
  });
}

/** Length in bytes from which pairs are counted, which halves the time. */
const MANY = 64 * 1024;

/** Maximum number of different bytes to search for natively before counting: mostly, none is found. */
const FEW = 5;

function escapedLength(bytes: Buffer, { bytes: escaped, added, addedByPair }: Escapes): number {
  const { length } = bytes;
  if (length < MANY) return length + sumOf(added, bytes);
  if (escaped.length <= FEW && !escaped.some((byte) => bytes.includes(byte))) return length;
  const start = bytes.byteOffset % 2;
  const pairs = new Uint16Array(bytes.buffer, bytes.byteOffset + start, (length - start) >> 1);
  const end = start + 2 * pairs.length;
  const others = sumOf(added, bytes.subarray(0, start)) + sumOf(added, bytes.subarray(end));
  return length + sumOf(addedByPair(), pairs) + others;
}

/** The sum of the entries at the given indices. An iterator would take four times as long. */
function sumOf(entries: Uint8Array, indices: Uint8Array | Uint16Array): number {
  let sum = 0;
  for (let at = 0; at < indices.length; at++) sum += entries[indices[at] ?? 0] ?? 0;
  return sum;
}

function escapeBytes(bytes: Buffer, escapes: Escapes): Buffer {
  const length = escapedLength(bytes, escapes);
  if (length === bytes.length) return bytes;
  const escaped = Buffer.allocUnsafe(length);
  let end = 0;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at] ?? 0;
    const text = escapes.texts[byte];
    if (text) for (let of = 0; of < text.length; of++) escaped[end++] = text[of] ?? 0;
    else escaped[end++] = byte;
  }
  return escaped;
}
