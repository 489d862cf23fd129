import type { JsonSchema } from '../src/server/schema.ts';

export interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly description?: string;
  readonly required?: boolean;
  /** Of several values of a repeated parameter a list, of any names an object. */
  readonly example?: unknown;
  readonly schema: JsonSchema & { readonly maxLength?: number };
}

interface Response {
  readonly description: string;
  readonly headers?: Readonly<Record<string, unknown>>;
  readonly content?: Readonly<Record<string, unknown>>;
}

interface Content {
  readonly content: Readonly<Record<string, unknown>>;
}

export interface Operation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary?: string;
  /** Those of the path come first. */
  readonly parameters: readonly Parameter[];
  readonly requestBody?: Content;
  readonly responses: Readonly<Record<string, Response>>;
}

interface Reference {
  readonly $ref?: string;
}

interface Written {
  readonly paths: Readonly<Record<string, PathItem>>;
  readonly components: Readonly<Record<string, Readonly<Record<string, unknown>> | undefined>>;
}

interface PathItem {
  readonly parameters?: readonly Reference[];
  readonly [method: string]: unknown;
}

interface WrittenOperation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly parameters?: readonly Reference[];
  readonly requestBody?: Reference;
  readonly responses: Readonly<Record<string, Reference>>;
}

/** The operations of a document by path and method, with what they refer to, but for schemas and fields. */
export type Operations = Readonly<Record<string, Readonly<Record<string, Operation>>>>;

/** @param document as a reader of its JSON has it */
export function operationsOf(document: unknown): Operations {
  const { paths, components } = document as Written;
  const resolved = (object: Reference): unknown => {
    const [section = '', name = ''] = object.$ref?.split('/').slice(2) ?? [];
    return object.$ref === undefined ? object : components[section]?.[name];
  };
  const items = Object.entries(paths).map(([path, { parameters: shared = [], ...item }]) => {
    const operations = Object.entries(item).map(([method, written]) => {
      const { parameters = [], requestBody, responses, ...plain } = written as WrittenOperation;
      const operation: Operation = {
        ...plain,
        parameters: [...shared, ...parameters].map((one) => resolved(one) as Parameter),
        ...(requestBody && {
          requestBody: resolved(requestBody) as Content,
        }),
        responses: Object.fromEntries(
          Object.entries(responses).map(([status, one]) => [status, resolved(one) as Response]),
        ),
      };
      return [method, operation] as const;
    });
    return [path, Object.fromEntries(operations)] as const;
  });
  return Object.fromEntries(items);
}
