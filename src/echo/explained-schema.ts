import { ANY, arrayOf, enumOf, objectSchema, TEXT, type Infer } from '../server/schema.ts';

/** Types of fields: the structured ones (RFC 9651 3), and that of Sunset. */
export const FIELD_TYPES = ['item', 'list', 'dictionary', 'http-date'] as const;

const explainedFieldSchema = objectSchema('ExplainedField', {
  field: TEXT,
  section: enumOf('header', 'trailer'),
  type: enumOf(...FIELD_TYPES),
  value: {
    ...ANY,
    description: 'In the JSON form of httpwg/structured-field-tests, bytes in base64.',
  },
  meaning: arrayOf(TEXT),
  reference: TEXT,
  problems: arrayOf(TEXT),
});

export const explainedSchema = {
  ...arrayOf(explainedFieldSchema),
  description: 'The structured fields of the request, with `explain` in the query only.',
};

/** A field of the request, explained. */
export type ExplainedField = Infer<typeof explainedFieldSchema>;
