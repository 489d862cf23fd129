import type { Endpoint } from './endpoint.ts';

/** An endpoint, and the percent-encoded values of its path parameters. */
export interface Match {
  readonly endpoint: Endpoint;
  readonly segments: readonly string[];
}

interface Pattern {
  readonly endpoint: Endpoint;
  /** Segments of the path; undefined for a parameter. */
  readonly literals: readonly (string | undefined)[];
  readonly wildcard: boolean;
}

// A parameter is one whole segment, a wildcard all remaining ones. Both require a literal first segment.
const ROUTABLE = /^\/(?:[^/{}*]*(?:\/(?:[^/{}*]*|\{\w+\}))*|[^/{}*]+\/\*\w+)$/;

/**
 * Finds endpoints by path. Paths are compared as sent: different percent-encoding, double slashes or dot segments make
 * another path, so that clients can test their own normalization.
 */
export class Router {
  readonly #exact = new Map<string, Match>();
  /** Patterns with parameters by first segment, which is always a literal. */
  readonly #patterns = new Map<string, Pattern[]>();
  /** The last path with parameters that was found: clients repeat it. */
  #lastPath = '';
  #lastMatch: Match | undefined;

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
    if (path === this.#lastPath) return this.#lastMatch;
    const match = this.#matchOf(path);
    if (match) {
      this.#lastPath = path;
      this.#lastMatch = match;
    }
    return match;
  }

  #matchOf(path: string): Match | undefined {
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
