import { expect, test } from 'vitest';
import { encoderFor } from '../../src/http/codings.ts';
import { openClient } from '../_client.ts';
import { echoOf } from '../_echo.ts';
import { ask } from '../_walk.ts';
import { operationsOf, type Operation, type Parameter } from '../_openapi.ts';
import { startService } from '../_service.ts';

// What importers make of the document: requests of each operation by its examples, and by the schemas of its path.
// All are sent.

const ARGUMENTS = `
  --max-duration=1 --tap --inspect --metrics-enabled --hostname-enabled --env-prefix=SHOWN_ --allow-raw --control=token
`
  .trim()
  .split(/\s+/);

const NO_CREDENTIALS = 'credentials are no parameter';
const A_HOP = 'n is not 0';

/** Requests with another response than the first one, by path or by method and path, and why. */
const OTHERWISE: Readonly<Record<string, readonly [status: number, why: string]>> = {
  '/websocket/echo': [426, 'the request does not ask for an upgrade'],
  ...(encoderFor('zstd') ? {} : { '/zstd': [501, 'this Node has no zstd'] }),
  '/basic-auth/{user}/{passwd}': [401, NO_CREDENTIALS],
  '/hidden-basic-auth/{user}/{passwd}': [404, NO_CREDENTIALS],
  '/bearer': [401, NO_CREDENTIALS],
  '/digest-auth/{qop}/{user}/{passwd}': [401, NO_CREDENTIALS],
  '/digest-auth/{qop}/{user}/{passwd}/{algorithm}': [401, NO_CREDENTIALS],
  '/digest-auth/{qop}/{user}/{passwd}/{algorithm}/{stale_after}': [401, NO_CREDENTIALS],
  '/control/ready': [401, NO_CREDENTIALS],
  '/control/drain': [401, NO_CREDENTIALS],
  '/control/exit': [401, NO_CREDENTIALS],
  '/redirect/{n}': [302, A_HOP],
  '/relative-redirect/{n}': [302, A_HOP],
  '/absolute-redirect/{n}': [302, A_HOP],
  '/unstable': [500, 'the seed of the example shows a failure'],
  '/retry/{key}': [503, 'it is the first attempt, which fails'],
  '/early': [413, 'the example asks for it'],
  'DELETE /cookies': [302, 'the path is also that of GET, whose response is the first'],
};

/** Requests whose response is none of HTTP, and so not read. */
const UNREADABLE: Readonly<Record<string, string>> = {
  'HEAD /raw': 'the bytes have content, and a response to HEAD has none',
};

/**
 * Statuses of an operation, the lowest first. There are none for a fault that breaks off or garbles what it answers, whose
 * tests are in test/endpoints/fault/.
 */
function statusesOf({ responses }: Operation): string[] {
  const statuses = Object.keys(responses).filter((status) => status !== 'default');
  return statuses.toSorted((a, b) => leastOf(a) - leastOf(b));
}

/** The least status in a range such as `2XX`. */
function leastOf(declared: string): number {
  return Number(declared.replace('XX', '00'));
}

function isDeclared(status: number, declared: string): boolean {
  return declared.endsWith('XX')
    ? Math.trunc(status / 100) === leastOf(declared) / 100
    : status === leastOf(declared);
}

/** What openapi-to-postmanv2 makes of the schema of a parameter in a path, by `requestParametersResolution: Schema`. */
function madeUp({ schema, example, in: where }: Parameter): unknown {
  if (where !== 'path') return example;
  const { type, enum: words, pattern, minimum = 0 } = schema.anyOf?.[0] ?? schema;
  if (words) return words[0];
  if (pattern === undefined) return `<${String(type)}>`;
  // It makes a text of the pattern: for a number some digits.
  return type === 'string' ? example : Math.max(minimum, 1);
}

const exampleOf = ({ example }: Parameter): unknown => example;

/**
 * Path and query of the examples. A key is that of one client: others would count its attempts.
 *
 * @param connection id of an open connection, in place of the example: ids are counted for all services of the process
 */
function exampleTarget(
  method: string,
  path: string,
  { parameters }: Operation,
  connection: string,
  valueOf: (parameter: Parameter) => unknown,
): string {
  const query = new URLSearchParams();
  let target = path.replace('/connections/{id}', `/connections/${connection}`);
  for (const parameter of parameters) {
    const { name, in: where, required } = parameter;
    const example = valueOf(parameter);
    if (where === 'path') {
      const value = name === 'key' ? `${String(example)}-${method}` : String(example);
      target = target.replace(`{${name}}`, encodeURIComponent(value));
    } else if (typeof example === 'object' && example !== null) {
      // A list has the values of one name, an object has names of its own.
      for (const [key, value] of Object.entries(example)) {
        query.append(Array.isArray(example) ? name : key, String(value));
      }
    } else if (typeof example === 'string' || typeof example === 'number') {
      query.append(name, String(example));
    }
    if (required === true) expect([path, name, example]).not.toContain(undefined);
  }
  return query.size === 0 ? target : `${target}?${query.toString()}`;
}

test.each([
  ['its example', exampleOf],
  ['what is made of its path', madeUp],
])('each operation answers %s as its first response says', async (_, valueOf) => {
  const { port } = await startService(...ARGUMENTS);
  // Stays open, so that it is still among the connections.
  const client = openClient('http/1.1', port);
  const { conn } = echoOf((await client.request('/anything')).body);
  const { body } = await client.request('/openapi.json');
  const rows = Object.entries(operationsOf(JSON.parse(body.toString()))).flatMap(([path, item]) =>
    Object.entries(item).flatMap(([name, operation]) => {
      const [lowest] = statusesOf(operation);
      const method = name.toUpperCase();
      const key = `${method} ${path}`;
      if (lowest === undefined || key in UNREADABLE) return [];
      const target = exampleTarget(method, path, operation, conn.id, valueOf);
      const [status] = OTHERWISE[key] ?? OTHERWISE[path] ?? [];
      return [{ path, method, target, declared: status === undefined ? lowest : String(status) }];
    }),
  );
  expect(rows.length).toBeGreaterThan(280);
  const known = new Set(rows.flatMap(({ path, method }) => [path, `${method} ${path}`]));
  expect(Object.keys(OTHERWISE).filter((key) => !known.has(key))).toEqual([]);
  const differences = await Promise.all(
    rows.map(async ({ path, method, target, declared }) => {
      // HTTP/1.1 has no frames.
      const transport = /^\/(?:h2|frames)\b/.test(path) ? 'h2c' : 'http/1.1';
      const answer = await ask(transport, port, target, { method });
      const { status } = answer;
      if (isDeclared(status, declared)) return [];
      return [`${method} ${target}: ${status}, not ${declared}; ${answer.body.toString()}`];
    }),
  );
  expect(differences.flat()).toEqual([]);
});
