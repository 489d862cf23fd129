import type { Endpoint, ResponseDoc } from '../http/endpoint.ts';
import type { AnsweredMethod } from '../http/methods.ts';
import type { Parameter } from '../http/params.ts';
import { TEXT, type JsonSchema } from '../http/schema.ts';
import { exampleOf } from './example.ts';
import type { Json, Schemas } from './openapi-schemas.ts';

/** The fields that every response has, or can have. */
export const COMMON_FIELDS: Json = {
  'X-Request-Id': { $ref: '#/components/headers/X-Request-Id' },
  'X-Response-Time': { $ref: '#/components/headers/X-Response-Time' },
  'X-Conn-Id': { $ref: '#/components/headers/X-Conn-Id' },
  'X-Conn-Request': { $ref: '#/components/headers/X-Conn-Request' },
};

/** How an endpoint answers one method. */
export function operation(endpoint: Endpoint, method: AnsweredMethod, schemas: Schemas): Json {
  const base = {
    operationId: operationId(endpoint, method),
    tags: [endpoint.group],
    summary: method === 'OPTIONS' ? 'Says which methods the path takes.' : endpoint.summary,
  };
  if (method === 'OPTIONS') return { ...base, responses: optionsResponses };
  return {
    ...base,
    parameters: [...parameters(endpoint.params, 'path'), ...queryParameters(endpoint, method)],
    // A client must not send content with TRACE (RFC 9110 9.3.8).
    ...(endpoint.content !== false && method !== 'TRACE' && { requestBody: requestBody(endpoint) }),
    responses: responses(endpoint, method, schemas),
  };
}

/**
 * The declaration's id belongs to the first method of the list, and to HEAD where any method is
 * taken, as the service's description has it for `anything_handler`. The others add their name:
 * `bytes`, `bytes_by_head`; `anything_handler`, `anything_handler_by_get`.
 */
function operationId({ id, methods }: Endpoint, method: AnsweredMethod): string {
  const bearer = methods === 'any' ? 'HEAD' : methods[0];
  return method === bearer ? id : `${id}_by_${method.toLowerCase()}`;
}

function requestBody({ content }: Endpoint): Json {
  const setting = content === 'streamed' ? '--max-upload-size' : '--max-body-size';
  return {
    description: `Any content of any type, within the limit that ${setting} sets.`,
    required: false,
    content: { 'application/octet-stream': {}, '*/*': {} },
  };
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
function queryParameters({ query, freeQuery }: Endpoint, method: AnsweredMethod): Json[] {
  const declared = parameters(query, 'query');
  if (freeQuery === undefined) return declared;
  const anything: JsonSchema = { type: 'object' };
  const { description, schema = anything, methods } = freeQuery;
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

const defaultResponse: Json = { default: { $ref: '#/components/responses/Problem' } };
const optionsResponses: Json = {
  204: { $ref: '#/components/responses/Options' },
  ...defaultResponse,
};

function responses(endpoint: Endpoint, method: AnsweredMethod, schemas: Schemas): Json {
  const automatic: Record<number, ResponseDoc> = {};
  if (endpoint.content !== false) {
    automatic[400] = problem('The content ended before it was complete.');
    automatic[413] = problem('The content exceeds the limit.');
  }
  if (hasCheckedParameters(endpoint)) automatic[400] = problem('A parameter is not valid.');
  const documented: Json = {};
  for (const [status, doc] of Object.entries({ ...automatic, ...endpoint.responses })) {
    if (doc) documented[status] = response(doc, method, schemas);
  }
  return { ...documented, ...defaultResponse };
}

function problem(description: string): ResponseDoc {
  return { description, content: ['application/problem+json'] };
}

/** A wildcard takes any path; whatever else is declared can be given wrongly. */
function hasCheckedParameters({ path, params, query }: Endpoint): boolean {
  const holes = path.includes('*') ? 0 : Object.keys(params).length;
  return holes + Object.keys(query).length > 0;
}

function response(doc: ResponseDoc, method: AnsweredMethod, schemas: Schemas): Json {
  const fields = Object.entries(doc.fields ?? {}).map(
    ([name, description]) => [name, { description, schema: TEXT }] as const,
  );
  const content = (doc.content ?? []).map((type) => [type, mediaType(type, doc, schemas)] as const);
  return {
    description: doc.description,
    headers: { ...COMMON_FIELDS, ...Object.fromEntries(fields) },
    ...(content.length > 0 && method !== 'HEAD' && { content: Object.fromEntries(content) }),
  };
}

function mediaType(type: string, { schema }: ResponseDoc, schemas: Schemas): Json {
  if (type === 'application/problem+json') {
    return { schema: { $ref: '#/components/schemas/Problem' } };
  }
  if (type === 'application/json') return schema ? { schema: schemas.use(schema) } : {};
  return type.startsWith('text/') ? { schema: TEXT } : {};
}
