import { parseJson } from '../http/json-content.ts';
import { nameHint } from '../http/nearest.ts';
import { isFieldValue, isToken } from '../http/syntax.ts';
import { readInput } from '../check/files.ts';
import type { FieldLine } from '../check/message.ts';
import { arrayOf, guard, INTEGER, mapSchema, shape, TEXT } from '../server/schema.ts';
import { SettingsError } from '../settings/settings-error.ts';
import type { BenchOptions } from './options.ts';
import type { Scenario, ScenarioRequest } from './scenarios.ts';

/** A request as users write it. */
interface Written {
  readonly path?: string | undefined;
  readonly method?: string | undefined;
  readonly fields?: readonly FieldLine[];
  readonly content?: string | undefined;
  readonly status?: number | undefined;
  readonly weight?: number | undefined;
}

/** Fields that the framing of HTTP/1.1 or HTTP/2 decides (RFC 9110 7.6.1, RFC 9113 8.2.2). */
const FRAMING = new Set([
  'connection',
  'content-length',
  'host',
  'keep-alive',
  'proxy-connection',
  'te',
  'transfer-encoding',
  'upgrade',
]);

const MAX_REQUESTS = 1000;
const MAX_WEIGHT = 1000;

const MEMBERS = {
  path: TEXT,
  method: TEXT,
  fields: mapSchema(TEXT),
  content: TEXT,
  status: { ...INTEGER, minimum: 200, maximum: 599 },
  weight: { ...INTEGER, minimum: 1, maximum: MAX_WEIGHT },
};
const NAMES = Object.keys(MEMBERS);

const isMixed = guard(arrayOf(shape(MEMBERS, ['method', 'fields', 'content', 'status', 'weight'])));

/** The scenarios that options describe: `request`, `mixed`. @throws SettingsError */
export function ownScenarios(options: BenchOptions): readonly Scenario[] {
  const { path, method, field, content, status, mixed } = options;
  const own: Scenario[] = [];
  const isOwn = path ?? method ?? content ?? status ?? field[0];
  if (isOwn !== undefined) {
    if (path === undefined) {
      throw new SettingsError('--method, --field, --content and --status require --path');
    }
    const fields = field.map(fieldLine);
    const request = requestOf({ path, method, fields, content, status }, '--path');
    own.push({ ...request, ...UNKNOWN, id: 'request' });
  }
  if (mixed !== undefined) own.push({ ...mixedRequests(mixed), ...UNKNOWN, id: 'mixed' });
  return own;
}

/** Of a response that wirebin need not know. */
const UNKNOWN = { opensConnections: false, isFixedLength: false } as const;

function mixedRequests(file: string): ScenarioRequest & Pick<Scenario, 'others'> {
  const [first, ...others] = readMixed(file).map(({ fields = {}, ...written }) =>
    requestOf({ ...written, fields: Object.entries(fields) }, file),
  );
  if (!first) throw new SettingsError(`${file} has no request`);
  return { ...first, others };
}

function readMixed(file: string) {
  const text = readInput(file).toString();
  let value: unknown;
  try {
    value = parseJson(text);
  } catch (error) {
    const reason = error instanceof RangeError ? error.message : 'is no JSON';
    throw new SettingsError(`${file} ${reason}`);
  }
  if (!isMixed(value) || value.length > MAX_REQUESTS) {
    throw new SettingsError(
      `${file} must be an array of up to ${MAX_REQUESTS} objects with path, and method, fields, content, status from 200, weight from 1 to ${MAX_WEIGHT} if needed`,
    );
  }
  const unknown = value.flatMap((each) => Object.keys(each)).find((name) => !NAMES.includes(name));
  if (unknown === undefined) return value;
  const hint = nameHint(unknown, NAMES, `the members are ${NAMES.join(', ')}`);
  throw new SettingsError(`${file} has the member '${unknown}': ${hint}`);
}

/** @param where the request is written @throws SettingsError */
function requestOf(written: Written, where: string): ScenarioRequest {
  const { path = '/', fields = [], status, weight } = written;
  const content = written.content === undefined ? undefined : contentOf(written.content);
  const method = written.method ?? (content ? 'POST' : 'GET');
  // A path is sent as it is, so that it can have characters that a URL cannot.
  if (!/^\/[!-~]*$/.test(path))
    throw wrong(where, `the path '${path}', which begins with / and has no spaces`);
  if (!isToken(method) || method === 'CONNECT') throw wrong(where, `the method '${method}'`);
  return {
    method,
    path,
    fields: fields.map(([name, value]) => validField(name.toLowerCase(), value, where)),
    isContent: () => true,
    ...(content && { content }),
    ...(status !== undefined && { status }),
    ...(weight !== undefined && { weight }),
  };
}

function validField(name: string, value: string, where: string): FieldLine {
  const isValid = isToken(name) && isFieldValue(value) && !FRAMING.has(name);
  if (!isValid) throw wrong(where, `the field '${name}: ${value}'`);
  return [name, value];
}

const wrong = (where: string, what: string): SettingsError =>
  new SettingsError(`${where} cannot have ${what}`);

/** A field line as of curl: `Name: value`. */
function fieldLine(line: string): FieldLine {
  const [, name = line, value = ''] = /^([^:]*):\s*(.*)/s.exec(line) ?? [];
  return [name, value];
}

/** The text, or like curl the content of the file after `@`. @throws SettingsError */
function contentOf(text: string): Buffer {
  return text.startsWith('@') ? readInput(text.slice(1)) : Buffer.from(text);
}
