import { fieldPairs, type FieldLines } from '../fields.ts';
import {
  parseDictionary,
  parseItem,
  parseList,
  serializeBareItem,
  serializeDictionary,
  serializeList,
  serializeMember,
  type Dictionary,
  type Parameters,
} from '../structured-fields.ts';
import { trimOws } from '../syntax.ts';

/** Types of structured fields (RFC 9651 3). */
export type StructuredType = 'item' | 'list' | 'dictionary';

/** The value of a component, or why it has none. */
export type ComponentValue = { readonly value: string } | { readonly reason: string };

type Section = ReadonlyMap<string, readonly string[]>;

/** The values of fields as components (RFC 9421 2.1). */
export class FieldComponents {
  readonly #header: Section;
  readonly #trailer: Section;
  readonly #typeOf: (name: string) => StructuredType | undefined;
  /** Dictionaries that were parsed for `key`; null if malformed. */
  readonly #dictionaries = new Map<readonly string[], Dictionary | null>();

  constructor(
    fields: FieldLines,
    trailers: FieldLines,
    typeOf: (name: string) => StructuredType | undefined,
  ) {
    this.#header = sectionOf(fields);
    this.#trailer = sectionOf(trailers);
    this.#typeOf = typeOf;
  }

  /** @param name as covered: it has to be in lower case */
  valueOf(name: string, parameters: Parameters): ComponentValue {
    const problem = parameterProblem(parameters);
    if (problem !== undefined) return { reason: problem };
    const isTrailer = parameters.has('tr');
    const lines = (isTrailer ? this.#trailer : this.#header).get(name);
    if (!lines) return { reason: absent(name, isTrailer) };
    const key = parameters.get('key');
    if (key?.type === 'string') return this.#memberOf(name, lines, key.value);
    if (parameters.has('sf')) return this.#strictValue(name, lines.join(', '));
    if (parameters.has('bs')) return { value: lines.map(wrapped).join(', ') };
    return { value: lines.join(', ') };
  }

  /** RFC 9421 2.1.1. */
  #strictValue(name: string, text: string): ComponentValue {
    const type = this.#typeOf(name);
    if (!type) return { reason: 'sf needs the type of the field, which wirebin does not know' };
    const value = strictText(type, text);
    return value === undefined ? { reason: `the field is not a valid ${type}` } : { value };
  }

  /** RFC 9421 2.1.2. A field of unknown type is taken for a dictionary. */
  #memberOf(name: string, lines: readonly string[], key: string): ComponentValue {
    const type = this.#typeOf(name) ?? 'dictionary';
    if (type !== 'dictionary')
      return { reason: `key is for dictionaries, but the field is of type ${type}` };
    let dictionary = this.#dictionaries.get(lines);
    if (dictionary === undefined) {
      dictionary = parseDictionary(lines.join(', ')) ?? null;
      this.#dictionaries.set(lines, dictionary);
    }
    if (!dictionary) return { reason: 'the field is not a valid dictionary' };
    const member = dictionary.get(key);
    return member
      ? { value: serializeMember(member) }
      : { reason: 'the field does not have this key' };
  }
}

/** Values by lower-case name, without white space around them, and without pseudo-header fields. */
function sectionOf(lines: FieldLines): Section {
  const section = new Map<string, string[]>();
  for (const [name, value] of fieldPairs(lines)) {
    if (name.startsWith(':')) continue;
    const lower = name.toLowerCase();
    const values = section.get(lower);
    if (values) values.push(trimOws(value));
    else section.set(lower, [trimOws(value)]);
  }
  // HTTP/2 can divide the one line of this field (RFC 9113 8.2.3).
  const cookie = section.get('cookie');
  if (cookie) section.set('cookie', [cookie.join('; ')]);
  return section;
}

function absent(name: string, isTrailer: boolean): string {
  if (name !== name.toLowerCase()) return 'field names are covered in lower case';
  return isTrailer ? 'the request has no such trailer field' : 'the request has no such field';
}

const FLAGS = new Set(['sf', 'bs', 'tr']);

/** What is wrong with the parameters of a field (RFC 9421 2.1); undefined if nothing is. */
function parameterProblem(parameters: Parameters): string | undefined {
  for (const [name, { type, value }] of parameters) {
    if (name === 'key') {
      if (type !== 'string') return 'key has to be a string';
    } else if (!FLAGS.has(name)) return `the parameter ${name} does not apply to fields`;
    else if (value !== true) return `${name} is a flag, and has no value`;
  }
  if (parameters.has('bs') && (parameters.has('sf') || parameters.has('key'))) {
    return 'bs excludes sf and key (RFC 9421 2.1)';
  }
  return undefined;
}

function strictText(type: StructuredType, text: string): string | undefined {
  switch (type) {
    case 'item': {
      const item = parseItem(text);
      return item && serializeMember(item);
    }
    case 'list': {
      const list = parseList(text);
      return list && serializeList(list);
    }
    case 'dictionary': {
      const dictionary = parseDictionary(text);
      return dictionary && serializeDictionary(dictionary);
    }
  }
}

/** A line as a byte sequence (RFC 9421 2.1.3). */
function wrapped(line: string): string {
  return serializeBareItem({ type: 'bytes', value: Buffer.from(line, 'latin1') });
}
