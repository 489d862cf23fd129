import { Schemas, type Json } from './openapi-schemas.ts';

type Section = 'headers' | 'parameters' | 'requestBodies' | 'responses';

/**
 * The document's `components`: what is used in several places stands here once, and is referred to
 * (OpenAPI 3.1, 4.8.7).
 */
export class Components {
  readonly schemas = new Schemas();
  readonly #sections: Record<Section, Map<string, Json>> = {
    headers: new Map(),
    parameters: new Map(),
    requestBodies: new Map(),
    responses: new Map(),
  };
  readonly #references = new Map<string, Json>();
  /** The references to the fields of every response, by name. */
  readonly commonFields: Json;

  /** @param commonFields the fields that every response has, by name */
  constructor(commonFields: Readonly<Record<string, Json>>) {
    const entries = Object.entries(commonFields);
    this.commonFields = Object.fromEntries(
      entries.map(([name, field]) => [name, this.use('headers', name, field)]),
    );
  }

  /**
   * A reference to the object, which it adds unless an equal one is there.
   *
   * @param name what it is called, with a number behind it where another is called so
   */
  use(section: Section, name: string, object: Json): Json {
    const key = `${section} ${JSON.stringify(object)}`;
    const known = this.#references.get(key);
    if (known) return known;
    const members = this.#sections[section];
    let free = name;
    for (let at = 2; members.has(free); at++) free = `${name}-${at}`;
    members.set(free, object);
    const reference = { $ref: `#/components/${section}/${free}` };
    this.#references.set(key, reference);
    return reference;
  }

  toJSON(): Json {
    const sections = Object.entries(this.#sections).map(
      ([name, members]) => [name, Object.fromEntries(members)] as const,
    );
    return { schemas: this.schemas.components(), ...Object.fromEntries(sections) };
  }
}
