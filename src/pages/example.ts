import type { Endpoint } from '../server/endpoint.ts';
import type { Schema } from '../server/params.ts';

const SMALL_NUMBER = 5;

/** A value that the parameter takes, as text: its first example, or one made from its schema. */
export function exampleOf(schema: Schema): string {
  const { examples, enum: words, type, minimum = 0, maximum = SMALL_NUMBER } = schema;
  const given = examples?.[0] ?? words?.[0] ?? schema.default;
  if (given !== undefined) return String(given);
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
 * A target that the endpoint answers: its path with the holes filled, and the query that
 * shows what it does, or that it requires.
 *
 * @param valueOf makes a value for a parameter
 */
export function exampleTarget(
  { path, params, query, exampleQuery }: Endpoint,
  valueOf: (schema: Schema) => string = exampleOf,
): string {
  const filled = path.replace(/\{(\w+)\}|\*(\w+)/g, (hole, name?: string, wildcard?: string) => {
    const parameter = params[name ?? wildcard ?? ''];
    if (!parameter) return hole;
    const value = valueOf(parameter.schema);
    return wildcard === undefined ? encodeURIComponent(value) : encodeURI(value);
  });
  const asked = exampleQuery ?? requiredQuery(query, valueOf);
  return asked === '' ? filled : `${filled}?${asked}`;
}

function requiredQuery(query: Endpoint['query'], valueOf: (schema: Schema) => string): string {
  return Object.entries(query)
    .filter(([, { required }]) => required)
    .map(([name, { schema }]) => `${name}=${encodeURIComponent(valueOf(schema))}`)
    .join('&');
}
