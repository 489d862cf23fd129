import type { FieldLines } from '../../http/fields.ts';
import type { CheckedDigests } from '../digest-check.ts';
import type { ExplainedField } from '../explained-schema.ts';
import { EXPLAIN_BOUNDS } from './bounds.ts';
import type { Context, ExplainedMessage, FieldDeclaration } from './declaration.ts';
import { explainableFields } from './fields.ts';
import { Notes } from './notes.ts';

/**
 * Explains the fields of a request, without signatures.
 *
 * @param digests of the request, checked
 * @param now seconds since 1970
 */
export function explainFields(
  request: ExplainedMessage,
  digests: CheckedDigests = [],
  now: number,
): readonly ExplainedField[] {
  return explainMessage(request, explainableFields, { digests, now, isResponse: false });
}

/**
 * Explains the fields that only responses have, such as Cache-Status and Proxy-Status: one text per field.
 *
 * @param now seconds since 1970
 */
export function explainResponse(
  response: Omit<ExplainedMessage, 'method'>,
  now: number,
): readonly string[] {
  const message = { ...response, method: undefined };
  const fields = explainMessage(message, responseFields, { digests: [], now, isResponse: true });
  return fields.map(({ field, meaning, problems }) =>
    [`${field}:`, ...meaning, ...problems].join(' '),
  );
}

const responseFields: Declarations = new Map(
  Array.from(explainableFields).filter(([, { isOfResponses }]) => isOfResponses),
);

type Declarations = typeof explainableFields;

function explainMessage(
  message: ExplainedMessage,
  declarations: Declarations,
  others: Omit<Context, 'message' | 'section'>,
): readonly ExplainedField[] {
  const explained: ExplainedField[] = [];
  let left = EXPLAIN_BOUNDS.characters;
  for (const section of ['header', 'trailer'] as const) {
    const lines = section === 'header' ? message.fields : message.trailers;
    for (const [declaration, text] of explainable(lines, declarations)) {
      const isShort = text.length <= left && !hasMany(text);
      left -= isShort ? text.length : 0;
      explained.push(
        isShort
          ? entry(declaration, text, { ...others, message, section })
          : tooLarge(declaration, section),
      );
    }
  }
  return explained;
}

/** The fields of a section that can be explained, with their combined values (RFC 9110 5.2). */
function explainable(
  lines: FieldLines,
  declarations: Declarations,
): ReadonlyMap<FieldDeclaration, string> {
  const found = new Map<FieldDeclaration, string[]>();
  for (let at = 0; at < lines.length; at += 2) {
    const declaration = declarations.get((lines[at] ?? '').toLowerCase());
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
  if (isOfResponses && !context.isResponse)
    notes.problem('It is a response field, and has no meaning in a request.');
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
    `It is not explained: at most ${characters} characters of a message are, and no field with more than ${separators} commas, semicolons and spaces.`,
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
