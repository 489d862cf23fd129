import type { Request } from './request.ts';
import type { Parameter } from './params.ts';
import { parseQuery, percentDecode, singleValue, type QueryPairs } from '../http/query.ts';
import { Problem } from '../http/problem.ts';
import type { Reply } from './reply.ts';
import type { JsonSchema } from './schema.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** Declared methods and implied ones: HEAD with GET, OPTIONS with every path. */
export type AllowedMethod = Method | 'HEAD' | 'OPTIONS' | 'TRACE';

/** The methods documented for `any`; such endpoints accept unknown methods too. */
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
  /** Media types of the content; none for a response without content. */
  readonly content?: readonly string[];
  /** Schema of the content if it is JSON. */
  readonly schema?: JsonSchema;
  /** Headers beyond those of every response, by name in canonical case, with a description. */
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

/** Query parameters of any name. */
export interface AdditionalQuery {
  readonly description: string;
  /** Schema of the object that all parameters form, if it has constraints; with `minProperties`, one is required. */
  readonly schema?: JsonSchema;
  /** The methods that use them, if not all do. */
  readonly methods?: readonly Method[];
}

/** By status; a range such as `4XX` is for endpoints that respond with any status requested. */
type Responses = Readonly<Partial<Record<number | `${2 | 3 | 4 | 5}XX`, ResponseDoc>>>;

/** The names of path parameters: `/bytes/{n}` has `n`, `/anything/*path` has `path`. */
type PathParams<Path extends string> = Path extends `${string}{${infer PathParam}}${infer Rest}`
  ? PathParam | PathParams<Rest>
  : Path extends `${string}*${infer Wildcard}`
    ? Wildcard
    : never;

export type Values<Parameters> = {
  readonly [Name in keyof Parameters]: Parameters[Name] extends Parameter<infer T> ? T : never;
};

/** What a handler is called with. */
export interface Input<Params, Query> {
  readonly request: Request;
  readonly params: Params;
  /** The declared query parameters. */
  readonly query: Query;
  /** The request content; empty unless the endpoint is declared with `content: true`. */
  readonly content: Buffer;
}

type MaybePromise = Reply | Promise<Reply>;

interface Declaration<Path extends string, Params, Query> {
  /** The OpenAPI operation id. Default: the path's literal segments, joined by `_`. */
  readonly id?: string;
  /** GET includes HEAD; every path responds to OPTIONS. Default: GET. */
  readonly methods?: readonly Method[] | 'any';
  readonly path: Path;
  readonly group: Group;
  readonly summary: string;
  /** Exactly one entry for each parameter in the path; omitted if there are none. */
  readonly params?: Params & Record<Exclude<keyof Params, PathParams<Path>>, never>;
  readonly query?: Query;
  /** Set if the endpoint accepts query parameters of any name; a string is their description. */
  readonly additionalQuery?: string | AdditionalQuery;
  /** An encoded query for links that demonstrate the endpoint. */
  readonly exampleQuery?: string;
  /** A curl command that demonstrates it, if a link does not: without the URL. */
  readonly curl?: string;
  /**
   * Whether the handler receives the request content, up to --max-body-size; 'streamed' if it reads
   * the content itself as it arrives, without that limit.
   */
  readonly content?: boolean | 'streamed';
  /** The protocol that it switches to (RFC 9110 7.8), on HTTP/2 by extended CONNECT (RFC 8441). */
  readonly upgrade?: string;
  /** Whether it shows or changes what others do, so that web pages of other origins cannot use it. */
  readonly ownOriginOnly?: boolean;
  /** The flag that enables the endpoint, if it is off by default. */
  readonly setting?: `--${string}`;
  readonly responses: Responses;
  readonly handle: (input: Input<Values<Params>, Values<Query>>) => MaybePromise;
}

/** An endpoint with its parameter types erased, for router, dispatch and documentation. */
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
  readonly content: boolean | 'streamed';
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

/** Requires `params` if the path has parameters. */
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
    id: declaration.id ?? idOf(path),
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
    upgrade: declaration.upgrade,
    ownOriginOnly: declaration.ownOriginOnly ?? false,
    setting: declaration.setting,
    responses: declaration.responses,
    respond: responder(declaration),
  };
}

/** How an endpoint differs from another one with the same path. */
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
 * Declares an endpoint by what differs from the one with the same path. If `query` or `additionalQuery`
 * is given, it replaces all that the base says of the query. The handler is called with the parameters
 * declared here only.
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

function idOf(path: string): string {
  const literals = path.split('/').filter((segment) => /^[^{*]/.test(segment));
  return literals.join('_').replace(/\W/g, '_');
}

function additionalQueryOf(given: string | AdditionalQuery | undefined) {
  return typeof given === 'string' ? { description: given } : given;
}

/** Parses the parameters and calls the handler. */
function responder<Path extends string, Params extends object, Query extends object>({
  path,
  params,
  query,
  handle,
}: Pick<
  Declaration<Path, Params, Query>,
  'path' | 'params' | 'query' | 'handle'
>): Endpoint['respond'] {
  const parseParams = pathParser<Params>(params, path);
  const parseQueryParams = queryParser<Query>(query);
  const hasQuery = entriesOf(query).length > 0;
  return (request, segments, content) =>
    handle({
      request,
      params: parseParams(segments),
      query: parseQueryParams(hasQuery ? queryOf(request) : NO_PAIRS),
      content,
    });
}

type Parser<Source, Parameters> = (source: Source) => Values<Parameters>;

/** Parses the declared path parameters. */
function pathParser<Parameters extends object>(
  parameters: Parameters | undefined,
  path: string,
): Parser<readonly string[], Parameters> {
  const entries = entriesOf(parameters);
  const names = [...path.matchAll(/[{*](\w+)/g)].map(([, name]) => name);
  // A wildcard matches any path, so decoding it is left to its parameter.
  const isWildcard = path.includes('*');
  return (segments) => {
    const values: Record<string, unknown> = {};
    for (const [name, parameter] of entries) {
      const segment = segments[names.indexOf(name)];
      const value = isWildcard ? segment : decodedSegment(segment, name);
      values[name] = parameter.parse(value, name);
    }
    // Each value has its parameter's type, but TypeScript cannot build a mapped type in a loop.
    return values as Values<Parameters>;
  };
}

/** Parses the declared query parameters; others are ignored. */
export function queryParser<Parameters extends object>(
  parameters: Parameters | undefined,
): Parser<QueryPairs, Parameters> {
  const entries = entriesOf(parameters);
  return (pairs) => {
    const values: Record<string, unknown> = {};
    for (const [name, parameter] of entries) {
      values[name] = parameter.parse(singleValue(pairs, name), name);
    }
    // TypeScript cannot build a mapped type in a loop.
    return values as Values<Parameters>;
  };
}

function entriesOf(parameters: object | undefined): [string, Parameter<unknown>][] {
  return Object.entries<Parameter<unknown>>({ ...parameters });
}

const NO_PAIRS: QueryPairs = [];

/**
 * The decoded query parameters of a request, in order, without the one that selects the dialect.
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
