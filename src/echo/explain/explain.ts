import type { FieldLines } from '../../http/fields.ts';
import type { NamedKey } from '../../http/message-signatures/verification-key.ts';
import type { Request } from '../../server/request.ts';
import type { CheckedDigests } from '../digest-check.ts';
import type { ExplainedField } from '../explained-schema.ts';
import { EXPLAIN_BOUNDS } from './bounds.ts';
import type { Context, FieldDeclaration } from './declaration.ts';
import { explainableFields } from './fields.ts';
import { Notes } from './notes.ts';
import { explainSignatures } from './signatures.ts';

/**
 * The explanation of each structured field of a request, in the order in which they arrived, and of its signatures.
 *
 * @param digests of the request, checked; undefined if it has none
 * @param key for signatures, beside the example keys of RFC 9421
 * @throws AbortError if the client disconnects
 */
export async function explainRequest(
  request: Request,
  digests: CheckedDigests | undefined,
  key: NamedKey | undefined,
): Promise<readonly ExplainedField[]> {
  const now = Math.floor(Date.now() / 1000);
  const fields = explainFields(request, digests, now);
  const at = fields.findIndex(hasSignatures);
  const input = fields[at];
  if (!input) return fields;
  const signatures = await explainSignatures(request, key, now);
  return fields.with(at, { ...input, signatures });
}

function hasSignatures({ field, section, value }: ExplainedField): boolean {
  return field === 'Signature-Input' && section === 'header' && value !== null;
}

/** Explains the fields, without signatures. @param digests as above @param now seconds since 1970 */
export function explainFields(
  request: Request,
  digests: CheckedDigests = [],
  now: number,
): readonly ExplainedField[] {
  const facts = { request, digests, now };
  const explained: ExplainedField[] = [];
  let left = EXPLAIN_BOUNDS.characters;
  for (const section of ['header', 'trailer'] as const) {
    const lines = section === 'header' ? request.fields : request.trailers;
    for (const [declaration, text] of explainable(lines)) {
      const isShort = text.length <= left && !hasMany(text);
      left -= isShort ? text.length : 0;
      explained.push(
        isShort ? entry(declaration, text, { ...facts, section }) : tooLarge(declaration, section),
      );
    }
  }
  return explained;
}

/** The fields of a section that can be explained, with their combined values (RFC 9110 5.2). */
function explainable(lines: FieldLines): ReadonlyMap<FieldDeclaration, string> {
  const found = new Map<FieldDeclaration, string[]>();
  for (let at = 0; at < lines.length; at += 2) {
    const declaration = explainableFields.get((lines[at] ?? '').toLowerCase());
    if (!declaration) continue;
    const value = lines[at + 1] ?? '';
    const values = found.get(declaration);
    if (values) values.push(value);
    else found.set(declaration, [value]);
  }
  return new Map(Array.from(found, ([declaration, values]) => [declaration, values.join(', ')]));
}

function hasMany(text: string): boolean {
  let count = 0;
  for (const character of text) {
    if (character !== ',' && character !== ';' && character !== ' ') continue;
    if (++count > EXPLAIN_BOUNDS.separators) return true;
  }
  return false;
}

function entry(declaration: FieldDeclaration, text: string, context: Context): ExplainedField {
  const notes = new Notes();
  const value = declaration.explain(text, notes, context);
  const { type, isOfResponses } = declaration;
  if (value === undefined) {
    const what =
      type === 'http-date' ? 'an HTTP-date (RFC 9110 5.6.7)' : `${A[type]} (RFC 9651 4.2)`;
    notes.problem(`It is ignored, since it is malformed: it is not ${what}.`);
  }
  if (isOfResponses) notes.problem('It is a response field, and has no meaning in a request.');
  return shown(declaration, context.section, value ?? null, notes);
}

const A = { item: 'an item', list: 'a list', dictionary: 'a dictionary' } as const;

function tooLarge(
  declaration: FieldDeclaration,
  section: ExplainedField['section'],
): ExplainedField {
  const notes = new Notes();
  const { characters, separators } = EXPLAIN_BOUNDS;
  notes.problem(
    `It is not explained: at most ${characters} characters of a request are, and no field with more than ${separators} commas, semicolons and spaces.`,
  );
  return shown(declaration, section, null, notes);
}

function shown(
  { name, type, reference }: FieldDeclaration,
  section: ExplainedField['section'],
  value: unknown,
  { meaning, problems }: Notes,
): ExplainedField {
  return { field: name, section, type, value, meaning, reference, problems };
}
