import type { Endpoint } from '../server/endpoint.ts';
import { defaultText, type JsonSchema } from '../server/schema.ts';

const SMALL_NUMBER = 5;

/** A valid value of a parameter as text: its first example, or one derived from the schema. */
export function exampleOf(schema: JsonSchema): string {
  const { examples, enum: words, type, minimum = 0, maximum = SMALL_NUMBER } = schema;
  const given = examples?.[0] ?? words?.[0];
  if (given !== undefined) return String(given);
  if (schema.default !== undefined) return defaultText(schema);
  switch (type) {
    case 'integer':
    case 'number':
      return String(Math.min(Math.max(minimum, SMALL_NUMBER), maximum));
    case 'boolean':
      return 'true';
    case 'string':
    default:
      return 'example';
  }
}

/**
 * An example of a request target: the path with parameters filled in, and the example query or else required query
 * parameters.
 *
 * @param valueOf makes a value for a parameter
 */
export function exampleTarget(
  { path, params, query, exampleQuery }: Endpoint,
  valueOf: (schema: JsonSchema) => string = exampleOf,
): string {
  const filled = path.replace(/\{(\w+)\}|\*(\w+)/g, (match, name?: string, wildcard?: string) => {
    const parameter = params[name ?? wildcard ?? ''];
    if (!parameter) return match;
    const value = valueOf(parameter.schema);
    return wildcard === undefined ? encodeURIComponent(value) : encodeURI(value);
  });
  const queryText = exampleQuery ?? requiredQuery(query, valueOf);
  return queryText === '' ? filled : `${filled}?${queryText}`;
}

function requiredQuery(query: Endpoint['query'], valueOf: (schema: JsonSchema) => string): string {
  return Object.entries(query)
    .filter(([, { required }]) => required)
    .map(([name, { schema }]) => `${name}=${encodeURIComponent(valueOf(schema))}`)
    .join('&');
}
