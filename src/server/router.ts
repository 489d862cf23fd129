import { invalidParameter, type Problem } from '../http/problem.ts';
import type { Endpoint } from './endpoint.ts';
import type { Exchange } from './exchange.ts';
import { takeParameter } from '../http/target.ts';
import type { Reply } from './reply.ts';

export const DIALECT_NAMES = ['wirebin', 'httpbin', 'go-httpbin', 'gateway-api'] as const;
export type DialectName = (typeof DIALECT_NAMES)[number];

/** The form of responses that endpoints do not create themselves. */
export interface ResponseStyle {
  /** The response for an error. */
  problem(problem: Problem): Reply;
  /**
   * The response to OPTIONS.
   *
   * @param allow the methods of the endpoint at this path; undefined if there is none
   * @returns undefined if the dialect handles OPTIONS like any other method
   */
  options(exchange: Exchange, allow: string | undefined): Reply | undefined;
  /** Adds the headers of the CORS protocol (Fetch). */
  addCorsFields(exchange: Exchange, fields: string[]): void;
  /** Whether the response to HEAD has Content-Length; it may be omitted (RFC 9110 9.3.2). */
  readonly lengthForHead: boolean;
  /** Whether a request can ask for digests (RFC 9530) and Server-Timing. */
  readonly optionalFields?: boolean;
}

/** A set of endpoints and the form of its errors, OPTIONS and CORS responses. */
export interface Dialect extends ResponseStyle {
  readonly name: DialectName;
  readonly router: Pick<Router, 'find'>;
  /** Finds endpoints that are off unless a setting turns them on. */
  readonly disabled?: Pick<Router, 'find'>;
}

const PARAMETER = /^dialect=/;

/** The dialect of a service, and those that a request may select instead. */
export class Dialects {
  readonly default: Dialect;
  readonly #make: ((name: DialectName) => Dialect) | undefined;
  readonly #made: Map<DialectName, Dialect>;

  /** @param make makes a dialect that the query selects, once; without it, the query selects none */
  constructor(defaultDialect: Dialect, make?: (name: DialectName) => Dialect) {
    this.default = defaultDialect;
    this.#make = make;
    this.#made = new Map([[defaultDialect.name, defaultDialect]]);
  }

  /**
   * Selects the dialect of a request by the parameter `dialect`, which endpoints do not see.
   *
   * @throws Problem if there is no such dialect, or the parameter is repeated
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

/** An endpoint and the values of its path parameters, still percent-encoded. */
export interface Match {
  readonly endpoint: Endpoint;
  readonly segments: readonly string[];
}

interface Pattern {
  readonly endpoint: Endpoint;
  /** undefined stands for a path parameter. */
  readonly literals: readonly (string | undefined)[];
  readonly wildcard: boolean;
}

// A parameter is a whole segment, a wildcard the whole rest; both follow a literal first segment.
const ROUTABLE = /^\/(?:[^/{}*]*(?:\/(?:[^/{}*]*|\{\w+\}))*|[^/{}*]+\/\*\w+)$/;

/**
 * Finds endpoints by path. Paths are compared as sent, without normalization: percent-encoding, double
 * slashes and dot segments make another path, so that clients can test their own normalization.
 */
export class Router {
  readonly #exact = new Map<string, Match>();
  /** Patterns with parameters, by their first segment, which is always a literal. */
  readonly #patterns = new Map<string, Pattern[]>();

  /** @throws Error for a path that is invalid or a duplicate */
  constructor(endpoints: readonly Endpoint[]) {
    const shapes = new Set<string>();
    for (const endpoint of endpoints) {
      const { path } = endpoint;
      const shape = shapeOf(endpoint);
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

/** The path of an endpoint without parameter names: equal for paths that match the same requests. */
function shapeOf({ path }: Endpoint): string {
  return path.replace(/\w+\}/g, '}').replace(/\*\w+/, '*');
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
