import type { JsonSchema } from '../src/server/schema.ts';

/** Where a value breaks a schema, as paths with the reason; none where it does not. */
export function violations(schema: JsonSchema, value: unknown, at = ''): string[] {
  const { type, enum: words, minimum, properties, required, items, oneOf } = schema;
  const found: string[] = [];
  if (type !== undefined && !typesOf(value).some((name) => [type].flat().includes(name))) {
    return [`${at} is no ${[type].flat().join(' or ')}`];
  }
  if (words && !words.some((word) => word === value))
    found.push(`${at} is none of ${words.join()}`);
  if (minimum !== undefined && Number(value) < minimum) found.push(`${at} is below ${minimum}`);
  if (oneOf && oneOf.filter((choice) => violations(choice, value).length === 0).length !== 1) {
    found.push(`${at} fits not one of the choices`);
  }
  if (items && Array.isArray(value)) {
    for (const [n, item] of value.entries()) found.push(...violations(items, item, `${at}/${n}`));
  }
  if (typesOf(value).includes('object')) {
    const members = value as Record<string, unknown>;
    for (const name of required ?? []) {
      if (!Object.hasOwn(members, name)) found.push(`${at}/${name} is missing`);
    }
    for (const [name, member] of Object.entries(members)) {
      const known = properties?.[name] ?? schema.additionalProperties;
      if (known === false) found.push(`${at}/${name} is not declared`);
      else if (known) found.push(...violations(known, member, `${at}/${name}`));
    }
  }
  return found;
}

function typesOf(value: unknown): string[] {
  if (value === null) return ['null'];
  if (Array.isArray(value)) return ['array'];
  return Number.isInteger(value) ? ['integer', 'number'] : [typeof value];
}
