import { invalidParameter, Problem } from '../http/problem.ts';
import type { Disturbance } from './chaos.ts';
import type { Endpoint } from './endpoint.ts';
import type { Exchange, ReasonPhrases } from './exchange.ts';
import { takeParameter } from '../http/target.ts';
import type { Reply } from './reply.ts';
import type { Request } from './request.ts';

export const DIALECT_NAMES = [
  'wirebin',
  'httpbin',
  'go-httpbin',
  'gateway-api',
  'postman-echo',
] as const;
export type DialectName = (typeof DIALECT_NAMES)[number];

/** The form of responses that no endpoint makes. */
export interface ResponseStyle {
  /** Makes the response to an error. */
  problem(problem: Problem, request: Request): Reply;
  /**
   * Makes the response to OPTIONS.
   *
   * @param allow methods of the endpoint at this path; undefined without one
   * @returns undefined if the dialect handles OPTIONS like other methods
   */
  options(exchange: Exchange, allow: string | undefined): Reply | undefined;
  /** Adds the fields of CORS (Fetch). */
  addCorsFields(exchange: Exchange, fields: string[]): void;
  /** Makes the response to what --chaos has drawn, if it has another form than that of an endpoint. */
  chaos?(disturbance: Disturbance, request: Request): Reply | undefined;
  /** Reason phrases of all responses, if they are not those of Node. */
  readonly reasonPhrases?: ReasonPhrases;
  /** Whether a response to HEAD has Content-Length, which is optional (RFC 9110 9.3.2). */
  readonly lengthForHead: boolean;
  /** Whether requests can ask for digests (RFC 9530) and Server-Timing. */
  readonly optionalFields?: boolean;
}

/** A set of endpoints, with the form of errors, OPTIONS and CORS. */
export interface EndpointSet extends ResponseStyle {
  readonly router: Pick<Router, 'find'>;
  /** Finds endpoints that are off by setting. */
  readonly disabled?: Pick<Router, 'find'>;
  /** Finds endpoints of wirebin's own dialect, if this is another one. */
  readonly ownDialect?: Pick<Router, 'find'>;
  /** Whether one endpoint has all paths that no other has. gRPC's methods come before it. */
  readonly hasEveryPath?: boolean;
}

/** The endpoints of wirebin, or of a service that it imitates. */
export interface Dialect extends EndpointSet {
  readonly name: DialectName;
}

/** The problem of a path without an endpoint. It names the setting of one that is off. */
export function notFound(path: string, { disabled, ownDialect }: EndpointSet): Problem {
  const { setting } = disabled?.find(path)?.endpoint ?? {};
  if (setting !== undefined) {
    return new Problem('endpoint-off', `${path} is off; ${setting} turns it on`);
  }
  const isOwn = ownDialect?.find(path) !== undefined;
  const what = isOwn ? "in this dialect, only in wirebin's own" : 'a path of wirebin';
  return new Problem('not-found', `${path} is not ${what}; see /`);
}

const PARAMETER = /^dialect=/;

/** The dialect of a service, and others that a request can select. */
export class Dialects {
  readonly default: Dialect;
  readonly #make: ((name: DialectName) => Dialect) | undefined;
  readonly #made: Map<DialectName, Dialect>;

  /** @param make makes a selected dialect, once for each name; undefined if requests cannot select any */
  constructor(defaultDialect: Dialect, make?: (name: DialectName) => Dialect) {
    this.default = defaultDialect;
    this.#make = make;
    this.#made = new Map([[defaultDialect.name, defaultDialect]]);
  }

  /**
   * Selects the dialect of a request by the parameter `dialect`, and removes it from the query.
   *
   * @throws Problem if the dialect is unknown, or the parameter is repeated
   */
  select(exchange: Exchange): Dialect {
    const make = this.#make;
    if (!make) return this.default;
    const name = takeParameter(exchange, 'dialect', PARAMETER);
    if (name === undefined) return this.default;
    const known = DIALECT_NAMES.find((other) => other === name);
    if (!known) {
      throw invalidParameter('dialect', name, `is not one of ${DIALECT_NAMES.join(', ')}`);
    }
    const dialect = this.#made.get(known) ?? make(known);
    this.#made.set(known, dialect);
    return dialect;
  }
}

/** An endpoint, and the percent-encoded values of its path parameters. */
export interface Match {
  readonly endpoint: Endpoint;
  readonly segments: readonly string[];
}

/** Described responses in place of those of endpoints. */
export interface DescribedPaths {
  /**
   * @param isFree whether no endpoint has the path as its own
   * @returns undefined if the response is not described
   * @throws Problem if the description is invalid
   */
  find(exchange: Exchange, path: string, isFree: boolean, dialect: Dialect): Match | undefined;
}

interface Pattern {
  readonly endpoint: Endpoint;
  /** Segments of the path; undefined for a parameter. */
  readonly literals: readonly (string | undefined)[];
  readonly wildcard: boolean;
}

// A parameter is one whole segment, a wildcard all further ones. Both need a literal first segment.
const ROUTABLE = /^\/(?:[^/{}*]*(?:\/(?:[^/{}*]*|\{\w+\}))*|[^/{}*]+\/\*\w+)$/;

/**
 * Finds endpoints by path. Paths are compared as sent: with other percent-encoding, double slashes or dot segments, it
 * is another path, so that clients can test their own normalization.
 */
export class Router {
  readonly #exact = new Map<string, Match>();
  /** Patterns with parameters by first segment, which is always a literal. */
  readonly #patterns = new Map<string, Pattern[]>();

  /** @throws Error if a path is invalid, or used twice */
  constructor(endpoints: readonly Endpoint[]) {
    const shapes = new Set<string>();
    for (const endpoint of endpoints) {
      const { path } = endpoint;
      const shape = pathShape(endpoint);
      if (!ROUTABLE.test(path))
        throw new Error(`${path} has a parameter in an unsupported position`);
      if (shapes.has(shape)) throw new Error(`${path} is declared twice`);
      shapes.add(shape);
      this.#add(endpoint);
    }
  }

  find(path: string): Match | undefined {
    const exact = this.#exact.get(path);
    if (exact) return exact;
    const slash = path.indexOf('/', 1);
    const patterns = slash < 0 ? undefined : this.#patterns.get(path.slice(1, slash));
    if (!patterns) return undefined;
    const rest = path.slice(slash + 1);
    let parts: string[] | undefined;
    for (const { endpoint, literals, wildcard } of patterns) {
      if (wildcard) return { endpoint, segments: [rest] };
      parts ??= rest.split('/');
      const segments = pathParamsOf(parts, literals);
      if (segments) return { endpoint, segments };
    }
    return undefined;
  }

  #add(endpoint: Endpoint): void {
    const [first = '', ...rest] = endpoint.path.slice(1).split('/');
    const hasParams = rest.some((segment) => segment.startsWith('{') || segment.startsWith('*'));
    if (!hasParams) {
      this.#exact.set(endpoint.path, { endpoint, segments: [] });
      return;
    }
    const patterns = this.#patterns.get(first) ?? [];
    patterns.push({
      endpoint,
      literals: rest.map((segment) => (segment.startsWith('{') ? undefined : segment)),
      wildcard: rest[0]?.startsWith('*') ?? false,
    });
    this.#patterns.set(first, patterns);
  }
}

/** The path of an endpoint without parameter names. Paths that match the same requests have the same shape. */
function pathShape({ path }: Endpoint): string {
  return path.replace(/\{\w+\}/g, '{}').replace(/\*\w+/, '*');
}

function pathParamsOf(
  segments: readonly string[],
  literals: readonly (string | undefined)[],
): string[] | undefined {
  if (segments.length !== literals.length) return undefined;
  const params: string[] = [];
  for (let at = 0; at < segments.length; at++) {
    const segment = segments[at] ?? '';
    const literal = literals[at];
    if (literal === undefined) params.push(segment);
    else if (literal !== segment) return undefined;
  }
  return params;
}
