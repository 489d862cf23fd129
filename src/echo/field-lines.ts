import { combinedFields, type FieldLines } from '../http/fields.ts';
import { jsonMember, jsonText } from './json-text.ts';

/** A header or trailer section as JSON, as values of members of the echo. */
export interface SectionText {
  /** Combined values by lower-case name. */
  readonly combined: string;
  /** Field lines, one per line of the text. */
  readonly raw: string;
}

/** Texts before a value, which most requests have in common: as the first one of its section, and as a further one. */
interface Name {
  readonly line: { readonly first: string; readonly next: string };
  /** Of the combined values; undefined for a pseudo-header field, which is none of them. */
  readonly member: { readonly first: string; readonly next: string } | undefined;
  /** The latest section that has the name, in whatever case. */
  readonly latest: { section: number };
}

/** Maximum number of names that are remembered, and below, of the characters of one, and of texts in their section. */
const MAX_NAMES = 1000;
const MAX_NAME = 64;
const MAX_SECTION = 128;
/** Names that objects have first, in whatever order the lines are. */
const INTEGER = /^\d+$/;

const names = new Map<string, Name>();
let sections = 0;

/** The section as text. */
export function sectionText(lines: FieldLines): SectionText {
  return writeOnce(lines) ?? { combined: jsonMember(combinedFields(lines)), raw: linesText(lines) };
}

/**
 * Writes a section in one pass, which takes a third of the time of an object and JSON.stringify; undefined if a name is
 * repeated or unusual.
 */
function writeOnce(lines: FieldLines): SectionText | undefined {
  if (lines.length > MAX_SECTION) return undefined;
  // Not within a section, in which repetitions have to be noticed.
  if (names.size > MAX_NAMES) names.clear();
  const section = ++sections;
  let combined = '';
  let raw = '';
  for (let at = 0; at < lines.length; at += 2) {
    const name = nameOf(lines[at] ?? '');
    if (!name || name.latest.section === section) return undefined;
    const { line, member, latest } = name;
    latest.section = section;
    const value = jsonText(lines[at + 1] ?? '');
    raw = raw === '' ? line.first + value : raw + line.next + value;
    if (!member) continue;
    combined = combined === '' ? member.first + value : combined + member.next + value;
  }
  return {
    combined: combined === '' ? '{}' : `${combined}"\n  }`,
    raw: raw === '' ? '[]' : `${raw}"]\n  ]`,
  };
}

function nameOf(sent: string): Name | undefined {
  const known = names.get(sent);
  if (known || sent.length > MAX_NAME || INTEGER.test(sent)) return known;
  const lower = sent.toLowerCase();
  const latest = lower === sent ? { section: 0 } : nameOf(lower)?.latest;
  if (!latest) return undefined;
  const text = jsonText(lower);
  const member = { first: `{\n    "${text}": "`, next: `",\n    "${text}": "` };
  const made = { line: lineStart(sent), member: sent.startsWith(':') ? undefined : member, latest };
  names.set(sent, made);
  return made;
}

function lineStart(name: string): Name['line'] {
  const start = `\n    ["${jsonText(name)}", "`;
  return { first: `[${start}`, next: `"],${start}` };
}

/** Field lines as the value of a top-level member, one per line of the text. */
function linesText(lines: FieldLines): string {
  let text = '';
  for (let at = 0; at < lines.length; at += 2) {
    const { first, next } = lineStart(lines[at] ?? '');
    text += `${at === 0 ? first : next}${jsonText(lines[at + 1] ?? '')}`;
  }
  return text === '' ? '[]' : `${text}"]\n  ]`;
}

/**
 * Inserts field lines into JSON text, one per line.
 *
 * @param text an object serialized by `prettyJson()`, whose member is an empty array
 * @param member name of a top-level member
 */
export function withFieldLines(text: string, member: string, lines: FieldLines): string {
  // A unique match: JSON strings contain no line breaks, and members of nested objects are indented further.
  const opening = `\n  "${member}": `;
  const start = text.indexOf(`${opening}[]`) + opening.length;
  return `${text.slice(0, start)}${linesText(lines)}${text.slice(start + '[]'.length)}`;
}
