import type { Request } from './request.ts';
import type { Parameter } from './params.ts';
import { parseQuery, type QueryPairs } from '../http/query.ts';
import { checkNames, pathParser, queryParser, type Values } from './parse-parameters.ts';
import type { Reply } from './reply.ts';
import type { JsonSchema } from './schema.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/**
 * Declared methods, and the implied ones: HEAD where there is GET, OPTIONS everywhere, and QUERY (RFC 10008) and TRACE
 * where any method is allowed.
 */
export type AllowedMethod = Method | 'HEAD' | 'OPTIONS' | 'QUERY' | 'TRACE';

/** Methods documented for `any`. Such endpoints also accept unknown methods. */
const ANY_METHODS: readonly AllowedMethod[] = [
  'GET',
  'HEAD',
  'QUERY',
  'POST',
  'PUT',
  'PATCH',
  'DELETE',
  'OPTIONS',
  'TRACE',
];

/** The methods that a path supports, in the order of its Allow field. */
export function allowedMethods(declared: readonly Method[] | 'any'): readonly AllowedMethod[] {
  if (declared === 'any') return ANY_METHODS;
  const withHead = declared.flatMap((method): AllowedMethod[] =>
    method === 'GET' ? ['GET', 'HEAD'] : [method],
  );
  return [...withHead, 'OPTIONS'];
}

/** The sections of the index page and the tags of the OpenAPI document. */
export type Group =
  | 'echo'
  | 'content'
  | 'authentication'
  | 'timing'
  | 'redirects'
  | 'cookies'
  | 'fields'
  | 'faults'
  | 'operations';

/** A response of an endpoint, as documented in OpenAPI. */
export interface ResponseDoc {
  readonly description: string;
  /** Media types of the content; undefined without content. */
  readonly content?: readonly string[];
  /** Schema of JSON content. */
  readonly schema?: JsonSchema;
  /** Fields beyond those of every response: name in canonical case, and description. */
  readonly fields?: Readonly<Record<string, string>>;
}

/** Documents a response with JSON. @param fields as in `ResponseDoc` */
export function jsonResponse(
  description: string,
  schema: JsonSchema,
  fields: Readonly<Record<string, string>> = {},
): ResponseDoc {
  return { description, content: ['application/json'], schema, fields };
}

/** Documents an error. @param fields as in `ResponseDoc` */
export function problemResponse(
  description: string,
  fields: Readonly<Record<string, string>> = {},
): ResponseDoc {
  return { description, content: ['application/problem+json'], fields };
}

/** Documentation of query parameters with arbitrary names. */
export interface AdditionalQuery {
  readonly description: string;
  /** Schema of the object that all parameters form, for constraints. `minProperties` requires at least one. */
  readonly schema?: JsonSchema;
  /** Methods that use the parameters, if not all methods do. */
  readonly methods?: readonly Method[];
}

/** Responses by status. A range such as `4XX` is for endpoints that respond with any requested status in it. */
type Responses = Readonly<Partial<Record<number | `${2 | 3 | 4 | 5}XX`, ResponseDoc>>>;

/** An authentication scheme (RFC 9110 11.1) by its registered name. */
export type AuthenticationScheme = 'basic' | 'bearer' | 'digest';

/** Names of path parameters: `n` in `/bytes/{n}`, `path` in `/anything/*path`. */
type PathParams<Path extends string> = Path extends `${string}{${infer PathParam}}${infer Rest}`
  ? PathParam | PathParams<Rest>
  : Path extends `${string}*${infer Wildcard}`
    ? Wildcard
    : never;

export interface Input<Params, Query> {
  readonly request: Request;
  readonly params: Params;
  /** Values of the declared query parameters. */
  readonly query: Query;
  /** The request content; empty without `content: true`. */
  readonly content: Buffer;
}

type MaybePromise = Reply | Promise<Reply>;

type ReadsContent = boolean | 'streamed' | ((request: Request) => boolean);

interface Declaration<Path extends string, Params, Query> {
  /** The OpenAPI operation id. Default: the path's literal segments, joined by `_`. */
  readonly id?: string;
  /** GET includes HEAD, and every path supports OPTIONS. Default: GET. */
  readonly methods?: readonly Method[] | 'any';
  readonly path: Path;
  readonly group: Group;
  readonly summary: string;
  /** One entry for each parameter in the path; omitted if there are none. */
  readonly params?: Params & Record<Exclude<keyof Params, PathParams<Path>>, never>;
  readonly query?: Query;
  /** Allows query parameters with any name. A string is their description. */
  readonly additionalQuery?: string | AdditionalQuery;
  /**
   * Whether unknown query parameters are an error, because a misspelled one would test something else. With
   * `additionalQuery`, only names close to a declared one are an error. Default: true only in the group `faults`.
   */
  readonly strictQuery?: boolean;
  /** With `latin1`, each percent-decoded byte of the query is one character: parameters can contain any bytes. */
  readonly queryEncoding?: 'latin1';
  /** Encoded query for links that demonstrate the endpoint. */
  readonly exampleQuery?: string;
  /** A curl command that demonstrates the endpoint, if a link cannot. */
  readonly curl?: string;
  /**
   * Whether the handler gets the request content, up to --max-body-size; a function decides for each request.
   * 'streamed': the handler reads content of any size itself while it arrives.
   */
  readonly content?: ReadsContent;
  /** Schema of the content if it is JSON. */
  readonly contentSchema?: JsonSchema;
  /** Protocol to upgrade to (RFC 9110 7.8); on HTTP/2 with extended CONNECT (RFC 8441). */
  readonly upgrade?: string;
  /** Scheme of the credentials that the endpoint requires in `Authorization`. */
  readonly authentication?: AuthenticationScheme;
  /** Whether pages of other origins must not use the endpoint, because it shows or changes what other clients do. */
  readonly ownOriginOnly?: boolean;
  /** Whether the handler counts memory with `Request.reserve`. */
  readonly reserves?: boolean;
  /** Flag that enables the endpoint, if it is off by default. */
  readonly setting?: `--${string}`;
  readonly responses: Responses;
  readonly handle: (input: Input<Values<Params>, Values<Query>>) => MaybePromise;
}

/** An endpoint without the types of its parameters, for router, dispatch and documentation. */
export interface Endpoint {
  readonly id: string;
  readonly methods: readonly Method[] | 'any';
  readonly path: string;
  readonly group: Group;
  readonly summary: string;
  readonly params: Readonly<Record<string, Parameter<unknown>>>;
  readonly query: Readonly<Record<string, Parameter<unknown>>>;
  readonly additionalQuery: AdditionalQuery | undefined;
  readonly exampleQuery: string | undefined;
  readonly curl: string | undefined;
  readonly content: ReadsContent;
  readonly contentSchema: JsonSchema | undefined;
  readonly upgrade: string | undefined;
  readonly authentication: AuthenticationScheme | undefined;
  readonly ownOriginOnly: boolean;
  readonly reserves: boolean;
  readonly setting: string | undefined;
  readonly responses: Responses;
  /**
   * Parses the parameters and calls the handler.
   *
   * @param segments values of the path parameters, in order, still percent-encoded
   * @throws Problem
   */
  respond(request: Request, segments: readonly string[], content: Buffer): MaybePromise;
}

/** Requires `params` if the path contains any. */
type WithParams<Path extends string> = [PathParams<Path>] extends [never]
  ? unknown
  : { readonly params: unknown };

/** Declares an endpoint: the single source for routing, validation and documentation. */
export function endpoint<
  const Path extends string,
  Params extends Record<PathParams<Path>, Parameter<unknown>>,
  Query extends Record<string, Parameter<unknown>> = Record<never, never>,
>(declaration: Declaration<Path, Params, Query> & WithParams<Path>): Endpoint {
  const { path, additionalQuery } = declaration;
  return {
    id: declaration.id ?? endpointId(path),
    methods: declaration.methods ?? ['GET'],
    path,
    group: declaration.group,
    summary: declaration.summary,
    params: declaration.params ?? {},
    query: declaration.query ?? {},
    additionalQuery: additionalQueryOf(additionalQuery),
    exampleQuery: declaration.exampleQuery,
    curl: declaration.curl,
    content: declaration.content ?? false,
    contentSchema: declaration.contentSchema,
    upgrade: declaration.upgrade,
    authentication: declaration.authentication,
    ownOriginOnly: declaration.ownOriginOnly ?? false,
    reserves: declaration.reserves ?? false,
    setting: declaration.setting,
    responses: declaration.responses,
    respond: parseAndHandle(declaration),
  };
}

export function hasPath(endpoints: readonly Endpoint[], pattern: string): boolean {
  return endpoints.some(({ path }) => path === pattern);
}

/** Whether the handler gets the whole content of the request. */
export function wantsContent({ content }: Pick<Endpoint, 'content'>, request: Request): boolean {
  return content === true || (typeof content === 'function' && content(request));
}

/** How an endpoint differs from a base endpoint with the same path. */
export interface Override {
  readonly path: string;
  readonly apply: (base: Endpoint) => Endpoint;
}

type Changes<Path extends string, Params, Query> = Omit<
  Partial<Declaration<Path, Params, Query>>,
  'id' | 'path'
> &
  Pick<Declaration<Path, Params, Query>, 'handle'>;

/**
 * Declares an endpoint by its differences from a base endpoint with the same path. `query` or `additionalQuery`
 * replaces everything that the base declares about the query. The handler gets only parameters that are declared here.
 */
export function override<
  const Path extends string,
  Params extends Record<PathParams<Path>, Parameter<unknown>>,
  Query extends Record<string, Parameter<unknown>> = Record<never, never>,
>(path: Path, changes: Changes<Path, Params, Query>): Override {
  const { handle: _, query, additionalQuery, exampleQuery, ...others } = changes;
  const ownQuery = (query ?? additionalQuery) !== undefined && {
    query: query ?? {},
    additionalQuery: additionalQueryOf(additionalQuery),
    exampleQuery,
  };
  const respond = parseAndHandle({ path, ...changes });
  return { path, apply: (base) => ({ ...base, ...others, ...ownQuery, respond }) };
}

function endpointId(path: string): string {
  const literals = path.split('/').filter((segment) => /^[^{*]/.test(segment));
  return literals.join('_').replace(/\W/g, '_');
}

function additionalQueryOf(given: string | AdditionalQuery | undefined) {
  return typeof given === 'string' ? { description: given } : given;
}

type Responding<Path extends string, Params, Query> = Pick<
  Declaration<Path, Params, Query>,
  'path' | 'params' | 'query' | 'additionalQuery' | 'strictQuery' | 'queryEncoding' | 'handle'
> & { readonly group?: Group };

/** Makes `respond`, which parses the parameters and calls the handler. */
function parseAndHandle<Path extends string, Params extends object, Query extends object>({
  path,
  params,
  query,
  handle,
  ...others
}: Responding<Path, Params, Query>): Endpoint['respond'] {
  const parseParams = pathParser<Params>(params, path);
  const parseQueryParams = queryParser<Query>(query);
  const names = Object.keys({ ...query });
  const strict = others.strictQuery ?? others.group === 'faults';
  const hasOthers = others.additionalQuery !== undefined;
  return (request, segments, content) => {
    const pairs = strict || names.length > 0 ? queryOf(request, others.queryEncoding) : NO_PAIRS;
    if (strict) checkNames(pairs, names, path, hasOthers);
    return handle({
      request,
      params: parseParams(segments),
      query: parseQueryParams(pairs),
      content,
    });
  };
}

const NO_PAIRS: QueryPairs = [];

/**
 * The decoded query parameters of a request, in order, without those that dispatch has removed, such as `dialect`.
 *
 * @param encoding latin1 decodes each escape to one character per byte
 */
export function queryOf({ target }: Request, encoding?: 'latin1'): QueryPairs {
  return target ? parseQuery(target.endpointQuery ?? target.query, encoding) : NO_PAIRS;
}

/** Whether the query of a request has any parameters. Decodes none of them. */
export function hasQuery({ target }: Request): boolean {
  return target !== undefined && /[^&]/.test(target.endpointQuery ?? target.query);
}
