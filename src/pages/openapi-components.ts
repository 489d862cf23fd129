import { Schemas, type Json } from './openapi-schemas.ts';

type Section = 'headers' | 'parameters' | 'requestBodies' | 'responses';

/**
 * The `components` of the document (OpenAPI 3.1, 4.8.7). Objects that are used several times are
 * stored once and referenced.
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
  /** References to the fields that every response has, by name. */
  readonly commonFields: Json;

  /** @param commonFields header objects of the fields that every response has, by name */
  constructor(commonFields: Readonly<Record<string, Json>>) {
    const entries = Object.entries(commonFields);
    this.commonFields = Object.fromEntries(
      entries.map(([name, field]) => [name, this.use('headers', name, field)]),
    );
  }

  /**
   * Adds the object, unless an equal one exists. @returns a reference to it
   *
   * @param name component name; a number is appended if another object has this name
   */
  use(section: Section, name: string, object: Json): Json {
    const key = `${section} ${JSON.stringify(object)}`;
    const existing = this.#references.get(key);
    if (existing) return existing;
    const members = this.#sections[section];
    let uniqueName = name;
    for (let at = 2; members.has(uniqueName); at++) uniqueName = `${name}-${at}`;
    members.set(uniqueName, object);
    const reference = { $ref: `#/components/${section}/${uniqueName}` };
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
