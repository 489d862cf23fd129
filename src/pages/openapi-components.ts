import { isDeepStrictEqual } from 'node:util';
import type { AuthenticationScheme } from '../server/endpoint.ts';
import type { JsonSchema } from '../server/schema.ts';

export type Json = Record<string, unknown>;

/** Collects schemas with a title, so that the document contains each once. */
export class Schemas {
  readonly #titled = new Map<string, JsonSchema>();
  readonly #components = new Map<string, unknown>();

  /**
   * Returns a reference for a schema with a title, otherwise the schema itself.
   *
   * @throws Error if two different schemas have the same title
   */
  use(schema: JsonSchema): Json {
    const { title, ...untitled } = schema;
    if (title === undefined) return this.#inline(schema);
    const existing = this.#titled.get(title);
    if (existing === undefined) {
      this.#titled.set(title, schema);
      this.#components.set(title, this.#inline(untitled));
    } else if (!isDeepStrictEqual(existing, schema)) {
      throw new Error(`two different schemas have the title ${title}`);
    }
    return { $ref: `#/components/schemas/${title}` };
  }

  /** The document's `components.schemas`. */
  components(): Json {
    return Object.fromEntries(this.#components);
  }

  #inline(schema: JsonSchema): Json {
    const { properties, items, oneOf, allOf, additionalProperties, propertyNames, ...plain } =
      schema;
    const members = Object.entries(properties ?? {});
    return {
      ...plain,
      ...(properties && {
        properties: Object.fromEntries(members.map(([name, member]) => [name, this.use(member)])),
      }),
      ...(items && { items: this.use(items) }),
      ...(oneOf && { oneOf: oneOf.map((choice) => this.use(choice)) }),
      ...(allOf && { allOf: allOf.map((part) => this.use(part)) }),
      ...(additionalProperties !== undefined && {
        additionalProperties: additionalProperties && this.use(additionalProperties),
      }),
      ...(propertyNames && { propertyNames: this.use(propertyNames) }),
    };
  }
}

type Section = 'headers' | 'parameters' | 'requestBodies' | 'responses';

/** An object of the document. Where it is used several times, a reference to it stands in its place. */
class Component {
  readonly #reference: string;
  readonly #object: Json;
  isShared = false;

  constructor(reference: string, object: Json) {
    this.#reference = reference;
    this.#object = object;
  }

  get object(): Json {
    return this.#object;
  }

  toJSON(): Json {
    return this.isShared ? { $ref: this.#reference } : this.#object;
  }
}

/**
 * The `components` of the document (OpenAPI 3.1, 4.8.7). Objects that are used several times are stored once, and
 * referenced.
 */
export class Components {
  readonly schemas = new Schemas();
  readonly #sections: Record<Section, Map<string, Component>> = {
    headers: new Map(),
    parameters: new Map(),
    requestBodies: new Map(),
    responses: new Map(),
  };
  readonly #known = new Map<string, Component>();
  readonly #schemes = new Map<AuthenticationScheme, Json>();
  /** The fields that every response has, by name. */
  readonly commonFields: Json;

  /** @param commonFields header objects of the fields that every response has, by name */
  constructor(commonFields: Readonly<Record<string, Json>>) {
    const entries = Object.entries(commonFields);
    this.commonFields = Object.fromEntries(
      entries.map(([name, field]) => [name, this.use('headers', name, field)]),
    );
  }

  /**
   * Adds the object, unless an equal one exists. @returns what is written in its place
   *
   * @param name component name; a number is appended if another object has this name
   */
  use(section: Section, name: string, object: Json): object {
    const key = `${section} ${JSON.stringify(object)}`;
    const existing = this.#known.get(key);
    if (existing) {
      existing.isShared = true;
      return existing;
    }
    const members = this.#sections[section];
    let uniqueName = name;
    for (let at = 2; members.has(uniqueName); at++) uniqueName = `${name}-${at}`;
    const component = new Component(`#/components/${section}/${uniqueName}`, object);
    members.set(uniqueName, component);
    this.#known.set(key, component);
    return component;
  }

  /** Adds the security scheme. @returns the security requirement of an operation that uses it */
  security(scheme: AuthenticationScheme): Json {
    this.#schemes.set(scheme, { type: 'http', scheme });
    return { [scheme]: [] };
  }

  toJSON(): Json {
    const sections = Object.entries(this.#sections).map(([section, members]) => {
      const shared = [...members].filter(([, { isShared }]) => isShared);
      return [section, Object.fromEntries(shared.map(([name, { object }]) => [name, object]))];
    });
    return {
      schemas: this.schemas.components(),
      ...Object.fromEntries(sections),
      securitySchemes: Object.fromEntries(this.#schemes),
    };
  }
}
