import type { Request } from './request.ts';
import type { Parameter } from './params.ts';
import { didYouMean, editDistance, nearest } from '../http/nearest.ts';
import { parseQuery, percentDecode, singleValue, type QueryPairs } from '../http/query.ts';
import { Problem } from '../http/problem.ts';
import type { Reply } from './reply.ts';
import type { JsonSchema } from './schema.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** Declared methods, and implied ones: HEAD where there is GET, OPTIONS everywhere. */
export type AllowedMethod = Method | 'HEAD' | 'OPTIONS' | 'TRACE';

/** Methods documented for `any`. Such endpoints accept unknown methods too. */
const ANY_METHODS: readonly AllowedMethod[] = [
  'GET',
  'HEAD',
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
  /** Schema of the object of all parameters, for constraints. With `minProperties`, one is required. */
  readonly schema?: JsonSchema;
  /** Methods that use the parameters, if not all do. */
  readonly methods?: readonly Method[];
}

/** Responses by status. A range such as `4XX` is for endpoints that respond with any requested status. */
type Responses = Readonly<Partial<Record<number | `${2 | 3 | 4 | 5}XX`, ResponseDoc>>>;

/** Names of path parameters: `n` in `/bytes/{n}`, `path` in `/anything/*path`. */
type PathParams<Path extends string> = Path extends `${string}{${infer PathParam}}${infer Rest}`
  ? PathParam | PathParams<Rest>
  : Path extends `${string}*${infer Wildcard}`
    ? Wildcard
    : never;

export type Values<Parameters> = {
  readonly [Name in keyof Parameters]: Parameters[Name] extends Parameter<infer T> ? T : never;
};

/** Input of a handler. */
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
  /** One entry for each parameter in the path. Omitted without parameters. */
  readonly params?: Params & Record<Exclude<keyof Params, PathParams<Path>>, never>;
  readonly query?: Query;
  /** Allows query parameters with any name. A string is their description. */
  readonly additionalQuery?: string | AdditionalQuery;
  /**
   * Whether unknown query parameters are an error, because a mistyped one would test something else. With
   * `additionalQuery`, only names that are close to a declared one are. Default: in the group of faults.
   */
  readonly strictQuery?: boolean;
  /** latin1: each percent-decoded byte of the query is one character, so that parameters can have any bytes. */
  readonly queryEncoding?: 'latin1';
  /** Encoded query for links that demonstrate the endpoint. */
  readonly exampleQuery?: string;
  /** A curl command that demonstrates the endpoint, if a link does not. */
  readonly curl?: string;
  /**
   * Whether the handler gets the request content, up to --max-body-size; a function decides for each request.
   * 'streamed': the handler reads content of any size itself while it arrives.
   */
  readonly content?: ReadsContent;
  /** Schema of JSON that the content may be. */
  readonly contentSchema?: JsonSchema;
  /** Protocol of an upgrade (RFC 9110 7.8), on HTTP/2 by extended CONNECT (RFC 8441). */
  readonly upgrade?: string;
  /** Whether the endpoint shows or changes what other clients do, so that pages of other origins must not use it. */
  readonly ownOriginOnly?: boolean;
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
  readonly ownOriginOnly: boolean;
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

/** Requires `params` if the path contains parameters. */
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
    ownOriginOnly: declaration.ownOriginOnly ?? false,
    setting: declaration.setting,
    responses: declaration.responses,
    respond: responder(declaration),
  };
}

/** Whether one of the endpoints has this path pattern. */
export function hasPath(endpoints: readonly Endpoint[], pattern: string): boolean {
  return endpoints.some(({ path }) => path === pattern);
}

/** Whether the handler gets the content of the request. */
export function wantsContent({ content }: Endpoint, request: Request): boolean {
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
 * replaces everything that the base declares of the query. The handler gets only parameters that are declared here.
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
  const respond = responder({ path, ...changes });
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

/** Makes the function that parses the parameters and calls the handler. */
function responder<Path extends string, Params extends object, Query extends object>({
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

/** The parameter that `wirebin check` appends to its targets, so that no cache has a response for them. */
export const UNIQUE_PARAMETER = 'check';

/** Edit distance to a declared name at which another name is taken for it, where names may be any. */
const MAX_TYPOS = 2;

/**
 * Checks that all pairs have declared names.
 *
 * @param of names what declares them, such as a path
 * @param hasOthers whether there are further ones with any name, unless that is close to a declared one
 * @throws Problem invalid-parameter
 */
export function checkNames(
  pairs: readonly (readonly [name: string, value: unknown])[],
  names: readonly string[],
  of: string,
  hasOthers = false,
): void {
  for (const [name] of pairs) {
    if (names.includes(name) || name === UNIQUE_PARAMETER) continue;
    const near = nearest(name.toLowerCase(), names);
    if (hasOthers && (near === undefined || editDistance(name, near) > MAX_TYPOS)) continue;
    const hint = near === undefined ? `it has ${names.join(', ')}` : didYouMean(near);
    throw new Problem('invalid-parameter', `${name} is not a parameter of ${of}; ${hint}`);
  }
}

type Parser<Source, Parameters> = (source: Source) => Values<Parameters>;

/** Makes a parser of the declared path parameters. */
function pathParser<Parameters extends object>(
  parameters: Parameters | undefined,
  path: string,
): Parser<readonly string[], Parameters> {
  const entries = parameterEntries(parameters);
  const names = [...path.matchAll(/[{*](\w+)/g)].map(([, name]) => name);
  // The value of a wildcard is decoded by its parameter, because it may be any path.
  const isWildcard = path.includes('*');
  return (segments) => {
    const values: Record<string, unknown> = {};
    for (const [name, parameter] of entries) {
      const segment = segments[names.indexOf(name)];
      const value = isWildcard ? segment : decodedSegment(segment, name);
      values[name] = parameter.parse(value, name);
    }
    // TypeScript cannot build a mapped type in a loop. Each value has its parameter's type.
    return values as Values<Parameters>;
  };
}

/** Makes a parser of the declared query parameters, which ignores others. */
export function queryParser<Parameters extends object>(
  parameters: Parameters | undefined,
): Parser<QueryPairs, Parameters> {
  const entries = parameterEntries(parameters);
  return (pairs) => {
    const values: Record<string, unknown> = {};
    for (const [name, parameter] of entries) {
      values[name] = parameter.parseAll
        ? parameter.parseAll(valuesOf(pairs, name), name)
        : parameter.parse(singleValue(pairs, name), name);
    }
    // TypeScript cannot build a mapped type in a loop.
    return values as Values<Parameters>;
  };
}

function parameterEntries(parameters: object | undefined): [string, Parameter<unknown>][] {
  return Object.entries<Parameter<unknown>>({ ...parameters });
}

function valuesOf(pairs: QueryPairs, name: string): string[] {
  return pairs.filter(([other]) => other === name).map(([, value]) => value);
}

const NO_PAIRS: QueryPairs = [];

/**
 * The decoded query parameters of a request, in order, without `dialect`.
 *
 * @param encoding latin1 decodes each escape to one character per byte
 */
export function queryOf({ target }: Request, encoding?: 'latin1'): QueryPairs {
  return target ? parseQuery(target.endpointQuery ?? target.query, encoding) : NO_PAIRS;
}

function decodedSegment(segment: string | undefined, name: string): string | undefined {
  if (segment === undefined) return undefined;
  const decoded = percentDecode(segment);
  if (decoded === undefined) {
    throw new Problem('invalid-parameter', `${name}=${segment} has a malformed percent-encoding`);
  }
  return decoded;
}
