import { parseQuery } from '../http/query.ts';
import type { AllowedMethod, Endpoint, ResponseDoc } from '../server/endpoint.ts';
import type { Parameter } from '../server/params.ts';
import { TEXT, type JsonSchema } from '../server/schema.ts';
import { exampleOf } from './example.ts';
import type { Components, Json, Schemas } from './openapi-components.ts';
import { problemSchema } from './problem-page.ts';

const PROBLEM = 'application/problem+json';

/**
 * Methods whose operations have no `requestBody`: OpenAPI advises against it (3.1, 4.8.10.1), and Fetch refuses content with
 * GET and HEAD. The description of the document says that they may have content.
 */
const WITHOUT_BODY: ReadonlySet<AllowedMethod> = new Set(['GET', 'HEAD', 'DELETE']);

/** Parameters of all methods of a path. */
export function sharedParameters(endpoint: Endpoint, components: Components): object[] {
  const { params, query, additionalQuery } = endpoint;
  const shared = [
    ...parameters(params, 'path', NO_EXAMPLES, components),
    ...parameters(query, 'query', examplesOf(endpoint), components),
  ];
  const additional = additionalQuery?.methods ? [] : additionalParameter(endpoint, components);
  return references([...shared, ...additional], components);
}

function references(objects: readonly Json[], components: Components): object[] {
  return objects.map((object) => components.use('parameters', String(object['name']), object));
}

/** The operation object of one method. */
export function operation(endpoint: Endpoint, method: AllowedMethod, components: Components): Json {
  const base = { operationId: operationId(endpoint, method), tags: [endpoint.group] };
  const isUsed = endpoint.additionalQuery?.methods?.some((other) => other === method);
  const additional = isUsed === true ? additionalParameter(endpoint, components) : [];
  return {
    ...base,
    ...(hasSummary(endpoint, method) && { summary: endpoint.summary }),
    ...codeSamples(endpoint, method),
    ...security(endpoint, components),
    ...(additional.length > 0 && { parameters: references(additional, components) }),
    ...(endpoint.content !== false &&
      !WITHOUT_BODY.has(method) && { requestBody: requestBody(endpoint, components) }),
    responses:
      method === 'HEAD' ? headResponses(endpoint, components) : responses(endpoint, components),
  };
}

/**
 * The id of an operation. The endpoint's first method, or HEAD of endpoints with any method, has the declared id.
 * Others append the method: `bytes`, `bytes_by_head`; `anything_handler`, `anything_handler_by_get`.
 */
function operationId({ id, methods }: Endpoint, method: AllowedMethod): string {
  const mainMethod = methods === 'any' ? 'HEAD' : methods[0];
  return method === mainMethod ? id : `${id}_by_${method.toLowerCase()}`;
}

/** Whether the operation has a summary: not HEAD, which does the same as GET; of `any`, only GET. */
function hasSummary({ methods }: Endpoint, method: AllowedMethod): boolean {
  return methods === 'any' ? method === 'GET' : method !== 'HEAD';
}

/** The curl command as extension that Redoc and other viewers show, at the method that it sends. */
function codeSamples({ curl }: Endpoint, method: AllowedMethod): Json {
  if (curl === undefined || method !== methodOf(curl)) return {};
  return { 'x-codeSamples': [{ lang: 'Shell', source: curl }] };
}

function methodOf(curl: string): AllowedMethod {
  if (curl.includes(' -T ')) return 'PUT';
  return curl.includes(' --data') ? 'POST' : 'GET';
}

function security({ authentication }: Endpoint, components: Components): Json {
  return authentication === undefined ? {} : { security: [components.security(authentication)] };
}

function requestBody({ content, contentSchema }: Endpoint, components: Components): object {
  const json = contentSchema && { schema: components.schemas.use(contentSchema) };
  const [name, setting] =
    content === 'streamed' ? ['Upload', '--max-upload-size'] : ['Content', '--max-body-size'];
  return components.use('requestBodies', name, {
    description: `Any content of any type, up to ${setting}.`,
    content: {
      ...(json && { 'application/json': json }),
      // Importers send content of the first type that has a schema.
      'text/plain': { schema: TEXT },
      'application/octet-stream': {},
      '*/*': {},
    },
  });
}

/** Values of the query that demonstrates an endpoint, by name. */
type Examples = ReadonlyMap<string, string>;

const NO_EXAMPLES: Examples = new Map();

function examplesOf({ exampleQuery = '' }: Endpoint): Examples {
  return new Map(parseQuery(exampleQuery));
}

function parameters(
  declared: Readonly<Record<string, Parameter<unknown>>>,
  where: 'path' | 'query',
  examples: Examples,
  { schemas }: Components,
): Json[] {
  return Object.entries(declared).map(([name, parameter]) =>
    parameterObject(name, parameter, where, examples.get(name), schemas),
  );
}

/** @param example of a query parameter; without one, a required parameter has that of its schema */
function parameterObject(
  name: string,
  parameter: Parameter<unknown>,
  where: string,
  example: string | undefined,
  schemas: Schemas,
): Json {
  const { description, ...schema } = parameter.schema;
  // `required` is false by default, and must be true for path parameters.
  const isRequired = where === 'path' || parameter.required;
  const value = example ?? (isRequired ? exampleOf(schema) : undefined);
  return {
    name,
    in: where,
    ...(isRequired && { required: true }),
    ...(description !== undefined && { description }),
    schema: schemas.use(schema),
    ...(value !== undefined && { example: typed(value, schema.type) }),
  };
}

function typed(text: string, type: JsonSchema['type']): string | number | string[] {
  if (type === 'array') return [text];
  return type === 'integer' || type === 'number' ? Number(text) : text;
}

/** The parameter for arbitrary names, if any: an object, which is exploded by default (`style: form`). */
function additionalParameter(endpoint: Endpoint, { schemas }: Components): Json[] {
  const { query, additionalQuery } = endpoint;
  if (additionalQuery === undefined) return [];
  const anything: JsonSchema = { type: 'object' };
  const { description, schema = anything } = additionalQuery;
  const names = Object.keys(query);
  // Declared parameters must not match the object as well.
  const others = { propertyNames: { ...TEXT, ...schema.propertyNames, not: { enum: names } } };
  const isRequired = schema.minProperties !== undefined;
  const given = [...examplesOf(endpoint)].filter(([name]) => !names.includes(name));
  const examples = given.length === 0 && isRequired ? [['example', 'example']] : given;
  return [
    {
      name: 'any',
      in: 'query',
      description,
      ...(isRequired && { required: true }),
      schema: schemas.use({ ...schema, ...(names.length > 0 && others) }),
      ...(examples.length > 0 && { example: Object.fromEntries(examples) }),
    },
  ];
}

function defaultResponse(components: Components): Json {
  const doc: ResponseDoc = { description: 'An error.', content: [PROBLEM] };
  // Only here with the common fields: in every response, they would be an eighth of the document.
  const object = { ...withContent(doc, components), headers: components.commonFields };
  return { default: components.use('responses', 'Problem', object) };
}

/**
 * The responses that an endpoint declares, and the 403 of those for the own origin only. Problems of any endpoint are
 * in the default response.
 */
function responses(endpoint: Endpoint, components: Components): Json {
  const automatic: Record<number, ResponseDoc> = endpoint.ownOriginOnly
    ? { 403: { description: 'A web page of another origin asks.', content: [PROBLEM] } }
    : {};
  const documented: Json = {};
  for (const [status, doc] of Object.entries({ ...automatic, ...endpoint.responses })) {
    if (doc) documented[status] = components.use('responses', status, withContent(doc, components));
  }
  return { ...documented, ...defaultResponse(components) };
}

function withContent(doc: ResponseDoc, components: Components): Json {
  const types = (doc.content ?? []).map(
    (type) => [type, mediaType(type, doc, components)] as const,
  );
  return {
    description: doc.description,
    ...headers(doc.fields),
    ...(types.length > 0 && { content: Object.fromEntries(types) }),
  };
}

/**
 * The responses to HEAD (RFC 9110 9.3.2): the lowest status, since an operation must have one (OpenAPI 3.1, 4.8.16), and
 * all others. Repeating the statuses and fields of GET in each operation would make the document a sixteenth longer.
 */
function headResponses(endpoint: Endpoint, components: Components): Json {
  const [first] = Object.keys(endpoint.responses).toSorted((a, b) => leastOf(a) - leastOf(b));
  const use = () => components.use('responses', 'Head', AS_GET);
  return { ...(first !== undefined && { [first]: use() }), default: use() };
}

/** A status, or the lowest one of a range such as `2XX`. */
function leastOf(status: string): number {
  return Number(status.replace('XX', '00'));
}

const AS_GET: Json = { description: 'As GET: its statuses and fields, without content.' };

function headers(fields: ResponseDoc['fields'] = {}): { headers?: Json } {
  const declared = Object.entries(fields).map(
    ([name, description]) => [name, { description, schema: TEXT }] as const,
  );
  return declared.length === 0 ? {} : { headers: Object.fromEntries(declared) };
}

function mediaType(type: string, { schema }: ResponseDoc, { schemas }: Components): Json {
  if (type === PROBLEM) return { schema: schemas.use(problemSchema) };
  if (type === 'application/json') return schema ? { schema: schemas.use(schema) } : {};
  if (type.startsWith('text/')) return { schema: TEXT };
  // Importers put the first type with a schema in Accept: if an image had none, that of an error.
  return type.startsWith('image/') ? { schema: {} } : {};
}
