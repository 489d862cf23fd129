import type { JsonSchema } from '../server/schema.ts';

export type Json = Record<string, unknown>;

/** Collects schemas that have a title, so that the document contains each only once. */
export class Schemas {
  readonly #titled = new Map<string, JsonSchema>();
  readonly #components = new Map<string, unknown>();

  /**
   * Returns a reference if the schema has a title, otherwise the schema itself.
   *
   * @throws Error if two schemas have the same title
   */
  use(schema: JsonSchema): Json {
    const { title } = schema;
    if (title === undefined) return this.#inline(schema);
    const existing = this.#titled.get(title);
    if (existing === undefined) {
      this.#titled.set(title, schema);
      this.#components.set(title, this.#inline(schema));
    } else if (existing !== schema) {
      throw new Error(`two schemas have the title ${title}`);
    }
    return { $ref: `#/components/schemas/${title}` };
  }

  /** The document's `components.schemas`. */
  components(): Json {
    return Object.fromEntries(this.#components);
  }

  #inline({ properties, items, oneOf, additionalProperties, ...plain }: JsonSchema): Json {
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
