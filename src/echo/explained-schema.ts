import {
  ANY,
  arrayOf,
  BOOLEAN,
  enumOf,
  mapSchema,
  nullable,
  objectSchema,
  TEXT,
  type Infer,
} from '../server/schema.ts';

/** Types of fields: the structured ones (RFC 9651 3), and that of Sunset. */
export const FIELD_TYPES = ['item', 'list', 'dictionary', 'http-date'] as const;

const explainedSignatureSchema = objectSchema(
  'ExplainedSignature',
  {
    label: TEXT,
    components: arrayOf(TEXT),
    parameters: mapSchema(ANY),
    base: { ...nullable(TEXT), description: 'The signature base (RFC 9421 2.5).' },
    verified: { ...nullable(BOOLEAN), description: 'null if it cannot be verified.' },
    reason: { ...TEXT, description: 'Why it is not verified.' },
    key: TEXT,
    meaning: arrayOf(TEXT),
    problems: arrayOf(TEXT),
  },
  ['reason', 'key'],
);

/** A signature of the request, explained and verified. */
export type ExplainedSignature = Infer<typeof explainedSignatureSchema>;

const explainedFieldSchema = objectSchema(
  'ExplainedField',
  {
    field: TEXT,
    section: enumOf('header', 'trailer'),
    type: enumOf(...FIELD_TYPES),
    value: {
      ...ANY,
      description: 'In the JSON form of httpwg/structured-field-tests, but with bytes in base64.',
    },
    meaning: arrayOf(TEXT),
    reference: TEXT,
    problems: arrayOf(TEXT),
    signatures: { ...arrayOf(explainedSignatureSchema), description: 'Only for Signature-Input.' },
  },
  ['signatures'],
);

export const explainedSchema = {
  ...arrayOf(explainedFieldSchema),
  description: 'The structured fields of the request; only with `explain` in the query.',
};

export const fieldNamesSchema = {
  ...objectSchema('FieldNames', {
    unregistered: arrayOf(TEXT),
    deprecated: arrayOf(TEXT),
    obsoleted: arrayOf(TEXT),
  }),
  description:
    'Field names of the request that are unregistered, deprecated or obsoleted; only with `explain` in the query.',
};

/** Field names of a request by status in IANA's registry, without permanent and provisional ones. */
export type FieldNames = Infer<typeof fieldNamesSchema>;

/** A field of the request, explained. */
export type ExplainedField = Infer<typeof explainedFieldSchema>;
