import type { FieldLines } from '../../http/fields.ts';
import {
  dictionaryJson,
  itemJson,
  listJson,
  type StructuredJson,
} from '../../http/structured-field-json.ts';
import {
  parseDictionary,
  parseItem,
  parseList,
  type Dictionary,
  type Item,
  type List,
} from '../../http/structured-fields.ts';
import type { CheckedDigests } from '../digest-check.ts';
import type { ExplainedField } from '../explained-schema.ts';
import type { Notes } from './notes.ts';

/** A message whose fields are explained. */
export interface ExplainedMessage {
  /** Of the request; undefined for a response whose request is not known. */
  readonly method: string | undefined;
  readonly fields: FieldLines;
  readonly trailers: FieldLines;
}

/** What an explanation may depend on, besides the value of the field. */
export interface Context {
  readonly message: ExplainedMessage;
  readonly isResponse: boolean;
  readonly section: ExplainedField['section'];
  /** Digests of the request and of its content. */
  readonly digests: CheckedDigests;
  /** Seconds since 1970. */
  readonly now: number;
}

/** How a field is explained. */
export interface FieldDeclaration {
  /** As registered. */
  readonly name: string;
  readonly type: ExplainedField['type'];
  /** The document and section that define it. */
  readonly reference: string;
  /** Whether it belongs in responses only. */
  readonly isOfResponses: boolean;
  /**
   * Explains a value.
   *
   * @param text the combined value
   * @returns the parsed value; undefined if it is malformed
   */
  explain(text: string, notes: Notes, context: Context): StructuredJson | string | undefined;
}

interface Declared<T> {
  readonly name: string;
  readonly reference: string;
  readonly isOfResponses?: boolean;
  readonly describe: (value: T, notes: Notes, context: Context) => void;
}

/** Declares a field whose value is an item (RFC 9651 3.3). */
export function itemField(field: Declared<Item>): FieldDeclaration {
  return structured(field, 'item', parseItem, itemJson);
}

/** Declares a field whose value is a list (RFC 9651 3.1). */
export function listField(field: Declared<List>): FieldDeclaration {
  return structured(field, 'list', parseList, listJson);
}

/** Declares a field whose value is a dictionary (RFC 9651 3.2). */
export function dictionaryField(field: Declared<Dictionary>): FieldDeclaration {
  return structured(field, 'dictionary', parseDictionary, dictionaryJson);
}

function structured<T>(
  { name, reference, isOfResponses = false, describe }: Declared<T>,
  type: ExplainedField['type'],
  parse: (text: string) => T | undefined,
  toJson: (value: T) => StructuredJson,
): FieldDeclaration {
  return {
    name,
    type,
    reference,
    isOfResponses,
    explain(text, notes, context) {
      const value = parse(text);
      if (value === undefined) return undefined;
      describe(value, notes, context);
      return toJson(value);
    },
  };
}
