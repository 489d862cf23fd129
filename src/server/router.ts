import type { Endpoint } from './endpoint.ts';

/** An endpoint found for a path, and what stood in its holes. */
export interface Match {
  readonly endpoint: Endpoint;
  readonly segments: readonly string[];
}

interface Pattern {
  readonly endpoint: Endpoint;
  /** undefined stands for a hole. */
  readonly literals: readonly (string | undefined)[];
  readonly wildcard: boolean;
}

// Holes are whole segments, wildcards the whole rest, both behind a first segment of letters.
const ROUTABLE = /^\/(?:[^/{}*]*(?:\/(?:[^/{}*]*|\{\w+\}))*|[^/{}*]+\/\*\w+)$/;

/**
 * Finds endpoints by path. Paths are compared as sent: what is percent-encoded, doubled or dotted
 * on the wire is another path, as a test of path normalisation needs it.
 */
export class Router {
  readonly #exact = new Map<string, Match>();
  /** Patterns with holes, by their first segment; each endpoint's first segment is a literal. */
  readonly #patterns = new Map<string, Pattern[]>();

  /** @throws Error for a path that could never be found */
  constructor(endpoints: readonly Endpoint[]) {
    const shapes = new Set<string>();
    for (const endpoint of endpoints) {
      const { path } = endpoint;
      const shape = shapeOf(endpoint);
      if (!ROUTABLE.test(path)) throw new Error(`${path} has a hole where none can be`);
      if (shapes.has(shape)) throw new Error(`${path} is there already`);
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
    const holed = rest.some((segment) => segment.startsWith('{') || segment.startsWith('*'));
    if (!holed) {
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

/** The path of an endpoint without the names of its holes: what makes two of them the same. */
export function shapeOf({ path }: Endpoint): string {
  return path.replace(/\w+\}/g, '}').replace(/\*\w+/, '*');
}

function pathParamsOf(
  segments: readonly string[],
  literals: readonly (string | undefined)[],
): string[] | undefined {
  if (segments.length !== literals.length) return undefined;
  const holes: string[] = [];
  for (let at = 0; at < segments.length; at++) {
    const segment = segments[at] ?? '';
    const literal = literals[at];
    if (literal === undefined) holes.push(segment);
    else if (literal !== segment) return undefined;
  }
  return holes;
}
