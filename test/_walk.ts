import { expect } from 'vitest';
import { allEndpoints, completeState } from '../src/endpoints/all.ts';
import { allowedMethods, type AllowedMethod, type Endpoint } from '../src/server/endpoint.ts';
import type { JsonSchema } from '../src/server/schema.ts';
import { exampleOf, exampleTarget } from '../src/pages/example.ts';
import { openApiDocument, pathOf } from '../src/pages/openapi.ts';
import type { JournalView } from '../src/telemetry/journal/entry.ts';
import { openClient, type Received, type Sent, type Transport } from './_client.ts';
import { operationsOf, type Operation } from './_openapi.ts';
import { violations } from './_schema.ts';

/** Every endpoint there is, as a service with all settings on has them. */
export const endpoints = allEndpoints(completeState);

const operations = operationsOf(
  JSON.parse(JSON.stringify(openApiDocument(endpoints, completeState))),
);

/** A target whose response takes no time: the least of each number, and almost no duration. */
export function quickTarget(endpoint: Endpoint): string {
  return exampleTarget(endpoint, quickValue).replace(/\bduration=[\d.]+/, 'duration=0.01');
}

/** The first example of a parameter, or else the least number. */
export function quickValue(schema: JsonSchema): string {
  return String(schema.examples?.[0] ?? schema.minimum ?? exampleOf(schema));
}

/** One request on a connection of its own. */
export async function ask(
  transport: Transport,
  port: number,
  target: string,
  sent: Sent = {},
): Promise<Received> {
  const client = openClient(transport, port);
  try {
    return await client.request(target, sent);
  } finally {
    client.close();
  }
}

/** The JSON at a path, asked for on a connection of its own. */
export async function contentOf<T>(port: number, path: string): Promise<T> {
  const { body } = await ask('http/1.1', port, path);
  return JSON.parse(body.toString()) as T;
}

/** What the journal has of a key. @param query with its question mark */
export function journalOf(port: number, key: string, query = ''): Promise<JournalView> {
  return contentOf(port, `/journal/${key}${query}`);
}

// Date is Node's, and so is what only says how HTTP/1.1 frames a message.
const FRAMING = new Set(['date', 'connection', 'keep-alive', 'transfer-encoding']);

/** The names of a response's fields, in lower case and order of the alphabet, Date left out. */
export function fieldNames({ headers }: Received): string[] {
  return Object.keys(headers)
    .filter((name) => !name.startsWith(':') && !FRAMING.has(name))
    .toSorted((a, b) => a.localeCompare(b));
}

/** Holds an answer against the operation that documents it: status, fields, content. */
export function expectDocumented(
  endpoint: Endpoint,
  method: AllowedMethod,
  answer: Received,
): void {
  const { status, body } = answer;
  const documented = responseOf(endpoint, method, status);
  const todo = (what: string) => `${what} in the \`responses\` of ${endpoint.path}`;
  const detail = status < 400 ? '' : ` (${body.toString()})`;
  expect(documented, todo(`document status ${status} of ${method}${detail}`)).toBeDefined();
  const type = answer.headers['content-type'];
  const types = Object.keys(documented?.content ?? {});
  if (method !== 'HEAD' && type !== undefined) {
    const missing = todo(`add ${type} to \`content\` of ${status}`);
    expect(types, missing).toContain(type.replace(/; boundary=.*/, ''));
  }
  const allowed = new Set(['content-type', 'content-length', ...queryNames(endpoint)]);
  // Fields of every response are those of the default.
  const fields = { ...documented?.headers, ...operationOf(endpoint, method)?.['default']?.headers };
  for (const name of Object.keys(fields)) allowed.add(name.toLowerCase());
  const undocumented = fieldNames(answer).filter((name) => !allowed.has(name));
  expect(undocumented, todo(`add these to \`fields\` of ${status}`)).toEqual([]);
  if (method === 'HEAD' || status === 204 || status === 304) {
    expect(body).toHaveLength(0);
  } else if (type === 'application/json' && answer.headers['content-encoding'] === undefined) {
    const schema = endpoint.responses[status]?.schema ?? {};
    const differences = violations(schema, JSON.parse(body.toString()));
    expect(differences, todo(`correct \`schema\` of ${status}`)).toEqual([]);
  }
}

/** Statuses of parameters and content, which are not repeated at each operation. */
const OF_ANY = new Set([400, 413]);

/** What the operation says of a status; `default` is for problems that no operation has a say in. */
export function responseOf(
  endpoint: Endpoint,
  method: AllowedMethod,
  status: number,
): Operation['responses'][string] | undefined {
  const responses = operationOf(endpoint, method);
  const documented = responses?.[status] ?? responses?.[`${Math.trunc(status / 100)}XX`];
  return documented ?? (OF_ANY.has(status) ? responses?.['default'] : undefined);
}

/** Methods that the document describes by another one: HEAD has its fields, and the others have no operation. */
const DESCRIBED_BY: Partial<Record<AllowedMethod, AllowedMethod>> = {
  HEAD: 'GET',
  QUERY: 'POST',
  TRACE: 'POST',
};

/** The responses of an operation. */
function operationOf(endpoint: Endpoint, method: AllowedMethod) {
  const documented = DESCRIBED_BY[method] ?? method;
  return operations[pathOf(endpoint)]?.[documented.toLowerCase()]?.responses;
}

/** Where fields are the caller's choice the example's query names them. */
function queryNames({ additionalQuery, exampleQuery = '' }: Endpoint): string[] {
  if (additionalQuery === undefined) return [];
  return [...new URLSearchParams(exampleQuery).keys()].map((name) => name.toLowerCase());
}

/** Methods that the endpoint does not take. */
export function otherMethods({ methods }: Endpoint): string[] {
  const taken: readonly string[] = allowedMethods(methods);
  const known = ['GET', 'HEAD', 'QUERY', 'POST', 'PUT', 'PATCH', 'DELETE', 'TRACE', 'PROPFIND'];
  return methods === 'any' ? [] : known.filter((method) => !taken.includes(method));
}

/** Targets with one parameter each that is not valid, and that parameter's name. */
export function malformedTargets(endpoint: Endpoint): [target: string, name: string][] {
  if (endpoint.path.includes('*')) return [];
  const [base = '', example = ''] = quickTarget(endpoint).split('?');
  const targets: [target: string, name: string][] = [];
  for (const [name, { schema }] of Object.entries(endpoint.params)) {
    for (const value of ['%', '%zz', ...wrongValues(schema)]) {
      const path = endpoint.path.replace(`{${name}}`, value);
      targets.push([quickTarget({ ...endpoint, path }), name]);
    }
  }
  for (const [name, { schema }] of Object.entries(endpoint.query)) {
    // What else the query has may be required.
    const others = example.split('&').filter((pair) => pair !== '' && !pair.startsWith(`${name}=`));
    const add = (...pairs: string[]) =>
      targets.push([`${base}?${[...others, ...pairs].join('&')}`, name]);
    add(`${name}=1`, `${name}=1`);
    for (const value of wrongValues(schema)) add(`${name}=${value}`);
  }
  return targets;
}

function wrongValues({ type, minimum = 0, maximum }: JsonSchema): string[] {
  if (type === 'string') return [];
  const beyond = maximum === undefined ? [] : [String(maximum + 1)];
  const below = minimum > 0 ? [String(minimum - 1)] : [];
  const notDecimal = [
    'x',
    '-1',
    '%2B1',
    '1e3',
    '0x10',
    '%201',
    '1%00',
    '%D9%A1',
    '99999999999999999999',
  ];
  return [...notDecimal, ...beyond, ...below];
}
