import type { Request } from './request.ts';
import type { Parameter } from './params.ts';
import { parseQuery, percentDecode, singleValue, type QueryPairs } from '../http/query.ts';
import { Problem } from '../http/problem.ts';
import type { Reply } from './reply.ts';
import type { JsonSchema } from './schema.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** The sections of the index page and the tags of the OpenAPI document. */
export type Group =
  | 'echo'
  | 'content'
  | 'authentication'
  | 'timing'
  | 'redirects'
  | 'cookies'
  | 'fields'
  | 'operations';

/** One status an endpoint answers with, for the OpenAPI document. */
export interface ResponseDoc {
  readonly description: string;
  /** Media types of the content; none for a response without. */
  readonly content?: readonly string[];
  /** Of the content where it is JSON. */
  readonly schema?: JsonSchema;
  /** Response fields beyond those every response carries, in the catalogue's case. */
  readonly fields?: Readonly<Record<string, string>>;
}

/** Query parameters of any name. */
export interface AdditionalQuery {
  /** What they are for. */
  readonly description: string;
  /** Of the object of all of them, where not any will do; `minProperties` makes it required. */
  readonly schema?: JsonSchema;
  /** The methods that look at them, where not all do. */
  readonly methods?: readonly Method[];
}

/** By status; a range is for endpoints that answer with whatever status they are asked for. */
type Responses = Readonly<Partial<Record<number | `${2 | 3 | 4 | 5}XX`, ResponseDoc>>>;

/** The names of a path's holes: `/bytes/{n}` has `n`, `/anything/*path` has `path`. */
type PathParams<Path extends string> = Path extends `${string}{${infer PathParam}}${infer Rest}`
  ? PathParam | PathParams<Rest>
  : Path extends `${string}*${infer Wildcard}`
    ? Wildcard
    : never;

type Values<Parameters> = {
  readonly [Name in keyof Parameters]: Parameters[Name] extends Parameter<infer T> ? T : never;
};

/** What a handler gets: the request, its parameters read and checked, its content. */
export interface Input<Params, Query> {
  readonly request: Request;
  readonly params: Params;
  /** The declared query parameters. */
  readonly query: Query;
  /** The request's content; empty unless the declaration asks for it with `content: true`. */
  readonly content: Buffer;
}

type Answering = Reply | Promise<Reply>;

interface Declaration<Path extends string, Params, Query> {
  /** The OpenAPI operation id. */
  readonly id: string;
  /** HEAD comes with GET; OPTIONS is answered for every path. */
  readonly methods: readonly Method[] | 'any';
  readonly path: Path;
  readonly group: Group;
  readonly summary: string;
  /** Exactly one entry for each hole of the path. */
  readonly params: Params & Record<Exclude<keyof Params, PathParams<Path>>, never>;
  readonly query?: Query;
  /** Where the endpoint takes query parameters of any name; a text is what they are for. */
  readonly additionalQuery?: string | AdditionalQuery;
  /** A query, encoded, that shows what the endpoint does: for links to it. */
  readonly exampleQuery?: string;
  /**
   * Whether the handler is given the request's content, all of it within --max-body-size; 'streamed'
   * where it reads as it comes what may be longer.
   */
  readonly content?: boolean | 'streamed';
  /** Whether the path has secrets, so that the log must not have it. */
  readonly secretPath?: boolean;
  /** The flag that turns the endpoint on, where it is off by default. */
  readonly setting?: `--${string}`;
  readonly responses: Responses;
  readonly handle: (input: Input<Values<Params>, Values<Query>>) => Answering;
}

/** An endpoint as router, dispatch and documents use it: its types have done their work. */
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
  readonly content: boolean | 'streamed';
  readonly secretPath: boolean;
  readonly setting: string | undefined;
  readonly responses: Responses;
  /**
   * Reads the parameters and runs the handler.
   *
   * @param segments what stood in the path's holes, in order, still percent-encoded
   * @throws Problem
   */
  respond(request: Request, segments: readonly string[], content: Buffer): Answering;
}

/** Declares an endpoint, once, for everything that needs to know of it. */
export function endpoint<
  const Path extends string,
  Params extends Record<PathParams<Path>, Parameter<unknown>>,
  Query extends Record<string, Parameter<unknown>> = Record<never, never>,
>(declaration: Declaration<Path, Params, Query>): Endpoint {
  const { params, query, additionalQuery, handle } = declaration;
  const readParams = pathReader<Params>(params, declaration.path);
  const readQuery = queryReader<Query>(query);
  return {
    id: declaration.id,
    methods: declaration.methods,
    path: declaration.path,
    group: declaration.group,
    summary: declaration.summary,
    params,
    query: query ?? {},
    additionalQuery:
      typeof additionalQuery === 'string' ? { description: additionalQuery } : additionalQuery,
    exampleQuery: declaration.exampleQuery,
    content: declaration.content ?? false,
    secretPath: declaration.secretPath ?? false,
    setting: declaration.setting,
    responses: declaration.responses,
    respond(request, segments, content) {
      return handle({
        request,
        params: readParams(segments),
        query: readQuery(request),
        content,
      });
    },
  };
}

type Reading<Source, Parameters> = (source: Source) => Values<Parameters>;

/** Reads the declared path parameters from what stood in the path's holes. */
function pathReader<Parameters extends object>(
  parameters: Parameters,
  path: string,
): Reading<readonly string[], Parameters> {
  const entries = entriesOf(parameters);
  const holes = [...path.matchAll(/[{*](\w+)/g)].map(([, name]) => name);
  // What a wildcard matched is any path: only its reader can say what may be decoded.
  const isWildcard = path.includes('*');
  return (segments) => {
    const values: Record<string, unknown> = {};
    for (const [name, parameter] of entries) {
      const segment = segments[holes.indexOf(name)];
      const value = isWildcard ? segment : decodedSegment(segment, name);
      values[name] = parameter.parse(value, name);
    }
    // The loop gives each name its own parameter's type; no mapped type can be built by steps.
    return values as Values<Parameters>;
  };
}

/** Reads the declared query parameters. */
function queryReader<Parameters extends object>(
  parameters: Parameters | undefined,
): Reading<Request, Parameters> {
  const entries = entriesOf(parameters);
  return (request) => {
    const values: Record<string, unknown> = {};
    if (entries.length > 0) {
      const pairs = queryOf(request);
      for (const [name, parameter] of entries) {
        values[name] = parameter.parse(singleValue(pairs, name), name);
      }
    }
    // As above.
    return values as Values<Parameters>;
  };
}

function entriesOf(parameters: object | undefined): [string, Parameter<unknown>][] {
  return Object.entries<Parameter<unknown>>({ ...parameters });
}

const NO_PAIRS: QueryPairs = [];

/**
 * The request's query parameters, decoded, in order; without the one that has chosen the dialect.
 *
 * @param encoding latin1 keeps the bytes that the escapes stand for, one a character
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
