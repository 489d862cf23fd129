/** A JSON Schema (2020-12) of values of type T, limited to the keywords in use. */
export interface JsonSchema<T = unknown> {
  /** Never set. Makes T part of the type, for `Infer`. */
  readonly infer?: T;
  /** Name of the schema in the OpenAPI document, which contains each named schema once. */
  readonly title?: string;
  readonly description?: string;
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
  readonly exclusiveMaximum?: number;
  /** An ECMA-262 regular expression, limited to syntax that other languages share. */
  readonly pattern?: string;
  /** Maximum length in characters. */
  readonly maxLength?: number;
  /** The only object is the empty one. */
  readonly default?: number | string | boolean | Readonly<Record<string, never>>;
  /** Valid values. The first one is used in links, and in the test that requests all endpoints. */
  readonly examples?: readonly (number | string)[];
  readonly enum?: readonly (number | string)[];
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly items?: JsonSchema;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly oneOf?: readonly JsonSchema[];
  readonly anyOf?: readonly JsonSchema[];
  readonly allOf?: readonly JsonSchema[];
  readonly additionalProperties?: JsonSchema | false;
  readonly propertyNames?: JsonSchema;
  readonly minProperties?: number;
  readonly not?: JsonSchema;
}

/** The type of the values that a schema describes. */
export type Infer<S> = S extends JsonSchema<infer T> ? T : never;

export const TEXT: JsonSchema<string> = { type: 'string' };
export const BOOLEAN: JsonSchema<boolean> = { type: 'boolean' };
export const NUMBER: JsonSchema<number> = { type: 'number' };
export const INTEGER: JsonSchema<number> = { type: 'integer' };
export const COUNT: JsonSchema<number> = { type: 'integer', minimum: 0 };
export const NULL: JsonSchema<null> = { type: 'null' };
export const ANY: JsonSchema = {};

export function enumOf<const T extends readonly (number | string)[]>(
  ...values: T
): JsonSchema<T[number]> {
  return { enum: values };
}

/** Schema of null, or of a value of the given schema, which must have exactly one type. */
export function nullable<T>(schema: JsonSchema<T>): JsonSchema<T | null> {
  const { type } = schema;
  return { ...schema, type: [String(type), 'null'] };
}

export function arrayOf<T>(items: JsonSchema<T>): JsonSchema<readonly T[]> {
  return { type: 'array', items };
}

const PAIR: JsonSchema<readonly [name: string, value: string]> = {
  type: 'array',
  items: TEXT,
  minItems: 2,
  maxItems: 2,
};

/** Schema of field lines as pairs of name and value. */
export const FIELD_LINES = arrayOf(PAIR);

/** Schema of an object with any names, and values of one schema. */
export function mapSchema<T>(values: JsonSchema<T>): JsonSchema<Record<string, T>> {
  return { type: 'object', additionalProperties: values };
}

export function oneOf<const S extends readonly JsonSchema[]>(
  ...choices: S
): JsonSchema<Infer<S[number]>> {
  return { oneOf: choices };
}

/** Schema of a string, or of an array of strings for a repeated name. */
export function stringOrStrings(
  text: JsonSchema<string> = TEXT,
): JsonSchema<string | readonly string[]> {
  return oneOf(text, { ...arrayOf(text), minItems: 1 });
}

/**
 * Schema of a text for which importers use the example, since it is the first choice. A text that they generate may be
 * invalid though it matches the pattern, or have a slash, which they do not escape.
 */
export function textLike(example: string, text: JsonSchema = TEXT): JsonSchema<string> {
  return { type: 'string', anyOf: [{ enum: [example] }, text], examples: [example] };
}

/** The default of a parameter as text; empty if there is none. */
export function defaultText({ default: given = '' }: JsonSchema): string {
  return typeof given === 'object' ? JSON.stringify(given) : String(given);
}

type Properties = Readonly<Record<string, JsonSchema>>;

type ObjectOf<P, Optional extends keyof P> = {
  readonly [Name in Exclude<keyof P, Optional>]: Infer<P[Name]>;
} & { readonly [Name in Optional]?: Infer<P[Name]> | undefined };

/** Schema of an object with exactly these properties, some of them optional. */
export function shape<const P extends Properties, Optional extends keyof P & string = never>(
  properties: P,
  optional: readonly Optional[] = [],
): JsonSchema<ObjectOf<P, Optional>> {
  const names: readonly string[] = optional;
  const required = Object.keys(properties).filter((name) => !names.includes(name));
  return { type: 'object', properties, required, additionalProperties: false };
}

/** Like `shape()`, for an object that may have any other members. */
export function openShape<const P extends Properties, Optional extends keyof P & string = never>(
  properties: P,
  optional: readonly Optional[] = [],
): JsonSchema<ObjectOf<P, Optional> & Readonly<Record<string, unknown>>> {
  return { ...shape(properties, optional), additionalProperties: {} };
}

/** Like `shape()`, with a name for the OpenAPI document. */
export function objectSchema<const P extends Properties, Optional extends keyof P & string = never>(
  title: string,
  properties: P,
  optional: readonly Optional[] = [],
): JsonSchema<ObjectOf<P, Optional>> {
  return { title, ...shape(properties, optional) };
}

/**
 * Schema of those members of an object that a reader needs. Other members may be present or missing.
 *
 * @param narrowed schemas that replace those of members, such as smaller parts of objects
 */
export function partOf<
  T,
  const K extends keyof T & string,
  const N extends { readonly [Name in K]?: JsonSchema } = Readonly<Record<never, never>>,
>(schema: JsonSchema<T>, names: readonly K[], narrowed?: N): JsonSchema<PartOf<T, K, N>> {
  const { properties = {}, required = [] } = schema;
  const own: readonly string[] = names;
  const all: Properties = { ...properties, ...narrowed };
  const kept = Object.entries(all).filter(([name]) => own.includes(name));
  return {
    type: 'object',
    properties: Object.fromEntries(kept),
    required: required.filter((name) => own.includes(name)),
  };
}

type PartOf<T, K extends keyof T, N> = {
  readonly [Name in keyof Pick<T, K>]: Name extends keyof N ? Infer<N[Name]> : T[Name];
};

/** Checks that a value from another process has type T. */
export type Guard<T> = (value: unknown) => value is T;

/**
 * Makes the guard of a schema of plain data. It ignores undeclared properties of objects.
 *
 * @throws TypeError if guards do not support a type in the schema
 */
export function guard<T>(schema: JsonSchema<T>): Guard<T> {
  const accepts = schemaCheck(schema);
  return (value): value is T => accepts(value);
}

type Check = (value: unknown) => boolean;

function schemaCheck(schema: JsonSchema): Check {
  const { type, enum: values, minimum = -Infinity } = schema;
  if (values) return (value) => values.some((allowed) => allowed === value);
  if (schema.oneOf) {
    const choices = schema.oneOf.map(schemaCheck);
    return (value) => choices.some((accepts) => accepts(value));
  }
  if (Array.isArray(type)) {
    const choices = type.map((each: string) => schemaCheck({ ...schema, type: each }));
    return (value) => choices.some((accepts) => accepts(value));
  }
  switch (type) {
    case undefined:
      return () => true;
    case 'null':
      return (value) => value === null;
    case 'string':
      return (value) => typeof value === 'string';
    case 'integer':
      return (value) => Number.isSafeInteger(value) && Number(value) >= minimum;
    case 'boolean':
      return (value) => typeof value === 'boolean';
    case 'number':
      return (value) => typeof value === 'number' && value >= minimum;
    case 'array':
      return arrayCheck(schema);
    case 'object':
      return objectCheck(schema);
    default:
      throw new TypeError(`no guard for ${JSON.stringify(type)}`);
  }
}

function arrayCheck({ items = ANY, minItems = 0, maxItems = Infinity }: JsonSchema): Check {
  const accepts = schemaCheck(items);
  return (value) =>
    Array.isArray(value) &&
    value.length >= minItems &&
    value.length <= maxItems &&
    value.every(accepts);
}

function objectCheck({ properties = {}, required = [], additionalProperties }: JsonSchema): Check {
  const members = Object.entries(properties).map(
    ([name, member]) => [name, schemaCheck(member), required.includes(name)] as const,
  );
  const others = additionalProperties ? schemaCheck(additionalProperties) : undefined;
  return (value) => {
    if (typeof value !== 'object' || value === null) return false;
    const areValid = members.every(([name, accepts, isRequired]) => {
      const member: unknown = Reflect.get(value, name);
      return member === undefined ? !isRequired : accepts(member);
    });
    if (!areValid || !others) return areValid;
    return Object.entries(value).every(
      ([name, member]) => Object.hasOwn(properties, name) || others(member),
    );
  };
}
