import type { Client } from '../_client.ts';
import { operationsOf, type Operations } from '../_openapi.ts';

/** A path parameter. */
interface Hole {
  readonly name: string;
  readonly in: string;
  readonly description?: string;
  readonly example?: unknown;
}

/** A path and one of its methods. */
export interface Target {
  readonly method: string;
  /** The path pattern. */
  readonly path: string;
  readonly parameters: readonly Hole[];
}

/** The paths of gateway-api, which has no OpenAPI document. */
const GATEWAY: readonly Target[] = [
  { method: 'GET', path: '/{any}', parameters: [{ name: 'any', in: 'path', example: 'x' }] },
  { method: 'GET', path: '/health', parameters: [] },
  {
    method: 'GET',
    path: '/status/{code}',
    parameters: [{ name: 'code', in: 'path', example: 200 }],
  },
];

/** The OpenAPI document of a service; undefined if its dialect has none. */
export async function documentOf(client: Client): Promise<object | undefined> {
  const { body } = await client.request('/openapi.json');
  const found = JSON.parse(body.toString()) as object;
  return 'paths' in found ? found : undefined;
}

/** Every path and method that the service documents. */
export async function targetsOf(client: Client): Promise<readonly Target[]> {
  const document = await documentOf(client);
  return document ? targetsIn(operationsOf(document)) : GATEWAY;
}

function targetsIn(operations: Operations): Target[] {
  return Object.entries(operations).flatMap(([path, item]) =>
    Object.entries(item).map(([method, { parameters }]) => {
      return { method: method.toUpperCase(), path, parameters };
    }),
  );
}

/** The path with its parameters filled in. */
export function filled({ path, parameters }: Target, fill: (example: string) => string): string {
  return parameters
    .filter((parameter) => parameter.in === 'path')
    .reduce(
      (rest, { name, example }) => rest.replace(`{${name}}`, () => fill(String(example))),
      path,
    );
}

/** Whether requests to the path end other requests of the connection, or change how it serves them. */
export function endsOthers(path: string): boolean {
  return /^\/(?:fault|h2|retry)\//.test(path);
}
