import type { Endpoint, ResponseDoc } from '../server/endpoint.ts';
import type { AllowedMethod } from '../server/methods.ts';
import type { Parameter } from '../server/params.ts';
import { TEXT, type JsonSchema } from '../server/schema.ts';
import { exampleOf } from './example.ts';
import type { Components } from './openapi-components.ts';
import type { Json } from './openapi-schemas.ts';
import { problemSchema } from './problem-page.ts';

const PROBLEM = 'application/problem+json';

/**
 * The parameters of all methods of a path: those in it, and those of the query unless OPTIONS or
 * another method does without what is required.
 */
export function sharedParameters(endpoint: Endpoint, components: Components): Json[] {
  const query = hasSharedQuery(endpoint) ? queryParameters(endpoint) : [];
  return references([...parameters(endpoint.params, 'path'), ...query], components);
}

function hasSharedQuery({ query, additionalQuery }: Endpoint): boolean {
  const required = Object.values(query).some((parameter) => parameter.required);
  return (
    !required &&
    additionalQuery?.methods === undefined &&
    additionalQuery?.schema?.minProperties === undefined
  );
}

function references(objects: readonly Json[], components: Components): Json[] {
  return objects.map((object) => components.use('parameters', String(object['name']), object));
}

/** How an endpoint answers one method. */
export function operation(endpoint: Endpoint, method: AllowedMethod, components: Components): Json {
  const base = { operationId: operationId(endpoint, method), tags: [endpoint.group] };
  if (method === 'OPTIONS') {
    return { ...base, responses: optionsResponses(components) };
  }
  const query = hasSharedQuery(endpoint) ? [] : queryParameters(endpoint, method);
  return {
    ...base,
    ...(hasSummary(endpoint, method) && { summary: endpoint.summary }),
    ...(query.length > 0 && { parameters: references(query, components) }),
    // A client must not send content with TRACE (RFC 9110 9.3.8).
    ...(endpoint.content !== false &&
      method !== 'TRACE' && { requestBody: requestBody(endpoint, components) }),
    responses: responses(endpoint, method, components),
  };
}

/**
 * The declaration's id belongs to the first method of the list, and to HEAD where any method is
 * taken, as the service's description has it for `anything_handler`. The others add their name:
 * `bytes`, `bytes_by_head`; `anything_handler`, `anything_handler_by_get`.
 */
function operationId({ id, methods }: Endpoint, method: AllowedMethod): string {
  const bearer = methods === 'any' ? 'HEAD' : methods[0];
  return method === bearer ? id : `${id}_by_${method.toLowerCase()}`;
}

/** HEAD and what stands for any method do the same as GET, which says it. */
function hasSummary({ methods }: Endpoint, method: AllowedMethod): boolean {
  return methods === 'any' ? method === 'GET' : method !== 'HEAD';
}

function requestBody({ content }: Endpoint, components: Components): Json {
  const [name, setting] =
    content === 'streamed' ? ['Upload', '--max-upload-size'] : ['Content', '--max-body-size'];
  return components.use('requestBodies', name, {
    description: `Any content of any type, within the limit that ${setting} sets.`,
    required: false,
    content: { 'application/octet-stream': {}, '*/*': {} },
  });
}

function parameters(
  declared: Readonly<Record<string, Parameter<unknown>>>,
  where: 'path' | 'query',
): Json[] {
  return Object.entries(declared).map(([name, parameter]) =>
    parameterObject(name, parameter, where),
  );
}

function parameterObject(name: string, parameter: Parameter<unknown>, where: string): Json {
  const { description, ...schema } = parameter.schema;
  return {
    name,
    in: where,
    // A hole of the path is there or the path is another.
    required: where === 'path' || parameter.required,
    ...(description !== undefined && { description }),
    schema,
    ...(where === 'path' && { example: typed(exampleOf(schema), schema.type) }),
  };
}

function typed(text: string, type: string | undefined): string | number {
  return type === 'integer' || type === 'number' ? Number(text) : text;
}

/** Parameters of any name are one exploded object, the way OpenAPI says it. */
function queryParameters({ query, additionalQuery }: Endpoint, method?: AllowedMethod): Json[] {
  const declared = parameters(query, 'query');
  if (additionalQuery === undefined) return declared;
  const anything: JsonSchema = { type: 'object' };
  const { description, schema = anything, methods } = additionalQuery;
  if (methods?.every((other) => other !== method)) return declared;
  const names = Object.keys(query);
  return [
    ...declared,
    {
      name: 'any',
      in: 'query',
      description,
      required: schema.minProperties !== undefined,
      style: 'form',
      explode: true,
      schema: {
        ...schema,
        // A declared one would be given twice.
        ...(names.length > 0 && {
          propertyNames: { ...schema.propertyNames, not: { enum: names } },
        }),
      },
    },
  ];
}

function optionsResponses(components: Components): Json {
  const options = {
    description: 'The methods that the path takes.',
    headers: headers(components, { Allow: 'The methods.' }),
  };
  return { 204: components.use('responses', 'Options', options), ...defaultResponse(components) };
}

function defaultResponse(components: Components): Json {
  const doc = problem('What was wrong.');
  return { default: components.use('responses', 'Problem', withContent(doc, components)) };
}

function responses(endpoint: Endpoint, method: AllowedMethod, components: Components): Json {
  const automatic: Record<number, ResponseDoc> = {};
  if (endpoint.content !== false) {
    automatic[400] = problem('The content ended before it was complete.');
    automatic[413] = problem('The content exceeds the limit.');
  }
  if (hasCheckedParameters(endpoint)) automatic[400] = problem('A parameter is not valid.');
  const documented: Json = {};
  for (const [status, doc] of Object.entries({ ...automatic, ...endpoint.responses })) {
    if (!doc) continue;
    const object =
      method === 'HEAD' ? withoutContent(doc, components) : withContent(doc, components);
    documented[status] = components.use('responses', status, object);
  }
  return { ...documented, ...defaultResponse(components) };
}

function problem(description: string): ResponseDoc {
  return { description, content: [PROBLEM] };
}

/** A wildcard takes any path; whatever else is declared can be given wrongly. */
function hasCheckedParameters({ path, params, query }: Endpoint): boolean {
  const holes = path.includes('*') ? 0 : Object.keys(params).length;
  return holes + Object.keys(query).length > 0;
}

function withContent(doc: ResponseDoc, components: Components): Json {
  const types = (doc.content ?? []).map(
    (type) => [type, mediaType(type, doc, components)] as const,
  );
  return {
    description: doc.description,
    headers: headers(components, doc.fields),
    ...(types.length > 0 && { content: Object.fromEntries(types) }),
  };
}

/** One for all statuses with the same fields. */
function withoutContent(doc: ResponseDoc, components: Components): Json {
  return {
    description: 'As for GET, without content (RFC 9110 9.3.2).',
    headers: headers(components, doc.fields),
  };
}

function headers({ commonFields }: Components, own: ResponseDoc['fields'] = {}): Json {
  const fields = Object.entries(own).map(
    ([name, description]) => [name, { description, schema: TEXT }] as const,
  );
  return { ...commonFields, ...Object.fromEntries(fields) };
}

function mediaType(type: string, { schema }: ResponseDoc, { schemas }: Components): Json {
  if (type === PROBLEM) return { schema: schemas.use(problemSchema) };
  if (type === 'application/json') return schema ? { schema: schemas.use(schema) } : {};
  return type.startsWith('text/') ? { schema: TEXT } : {};
}
