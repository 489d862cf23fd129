import type { JsonSchema } from '../server/schema.ts';

export type Json = Record<string, unknown>;

/** Gathers the schemas that have a title, so that each stands once in the document. */
export class Schemas {
  readonly #titled = new Map<string, JsonSchema>();
  readonly #components = new Map<string, unknown>();

  /**
   * The schema as it is written where it is used: a reference if it has a title.
   *
   * @throws Error when two schemas claim one title
   */
  use(schema: JsonSchema): Json {
    const { title } = schema;
    if (title === undefined) return this.#written(schema);
    const known = this.#titled.get(title);
    if (known === undefined) {
      this.#titled.set(title, schema);
      this.#components.set(title, this.#written(schema));
    } else if (known !== schema) {
      throw new Error(`two schemas have the title ${title}`);
    }
    return { $ref: `#/components/schemas/${title}` };
  }

  /** The document's `components.schemas`. */
  components(): Json {
    return Object.fromEntries(this.#components);
  }

  #written({ properties, items, oneOf, additionalProperties, ...plain }: JsonSchema): Json {
    const members = Object.entries(properties ?? {});
    return {
      ...plain,
      ...(properties && {
        properties: Object.fromEntries(members.map(([name, member]) => [name, this.use(member)])),
      }),
      ...(items && { items: this.use(items) }),
      ...(oneOf && { oneOf: oneOf.map((choice) => this.use(choice)) }),
      ...(additionalProperties !== undefined && {
        additionalProperties: additionalProperties && this.use(additionalProperties),
      }),
    };
  }
}
