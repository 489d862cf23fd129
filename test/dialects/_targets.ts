import type { Client } from '../_client.ts';

/** A parameter of a path. */
interface Hole {
  readonly name: string;
  readonly in: string;
  readonly example?: string | number;
}
type Operation = Readonly<Record<string, unknown>> & { readonly parameters?: readonly Hole[] };

/** What a service says of itself, as far as the tests of all endpoints look at it. */
export interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
}

/** A path and one of its methods. */
export interface Target {
  readonly method: string;
  /** The pattern. */
  readonly path: string;
  readonly parameters: readonly Hole[];
}

/** gateway-api documents nothing: its paths. */
const GATEWAY: Document = {
  paths: {
    '/{any}': { get: { parameters: [{ name: 'any', in: 'path', example: 'x' }] } },
    '/health': { get: {} },
    '/status/{code}': { get: { parameters: [{ name: 'code', in: 'path', example: 200 }] } },
  },
};

/** What the service documents. */
export async function documentOf(client: Client): Promise<Document> {
  const { body } = await client.request('/openapi.json');
  const found = JSON.parse(body.toString()) as object;
  return 'paths' in found ? (found as Document) : GATEWAY;
}

/** Every path and method. */
export function targetsOf({ paths }: Document): Target[] {
  return Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, { parameters = [] }]) => {
      return { method: method.toUpperCase(), path, parameters };
    }),
  );
}

/** The path with its holes filled. */
export function filled({ path, parameters }: Target, fill: (example: string) => string): string {
  return parameters
    .filter((parameter) => parameter.in === 'path')
    .reduce(
      (rest, { name, example }) => rest.replace(`{${name}}`, () => fill(String(example))),
      path,
    );
}
