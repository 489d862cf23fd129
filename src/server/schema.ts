/** The JSON Schema (2020-12) keywords in use. */
export interface JsonSchema {
  /** Names the schema in the OpenAPI document, which has each titled schema once. */
  readonly title?: string;
  readonly description?: string;
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly pattern?: string;
  readonly default?: number | string | boolean;
  readonly examples?: readonly (number | string)[];
  readonly enum?: readonly (number | string)[];
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly items?: JsonSchema;
  readonly minItems?: number;
  readonly oneOf?: readonly JsonSchema[];
  readonly additionalProperties?: JsonSchema | false;
  readonly propertyNames?: JsonSchema;
  readonly minProperties?: number;
  readonly not?: JsonSchema;
}

/** An object with exactly these properties, some of them optional. */
export function objectSchema(
  title: string,
  properties: Readonly<Record<string, JsonSchema>>,
  optional: readonly string[] = [],
): JsonSchema {
  const required = Object.keys(properties).filter((name) => !optional.includes(name));
  return { title, type: 'object', properties, required, additionalProperties: false };
}

/** A map from any names to values of one schema. */
export function mapSchema(values: JsonSchema): JsonSchema {
  return { type: 'object', additionalProperties: values };
}

export const TEXT: JsonSchema = { type: 'string' };

/** A string, or an array of strings for a repeated name. */
export function stringOrStrings(text: JsonSchema = TEXT): JsonSchema {
  return { oneOf: [text, { type: 'array', items: text, minItems: 1 }] };
}
