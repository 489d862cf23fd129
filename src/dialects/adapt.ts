import { completeEndpoints, type Adapt, type ServiceState } from '../endpoints/all.ts';
import type { Endpoint, Override } from '../server/endpoint.ts';
import type { PodContext } from './gateway-api/view.ts';

/** Settings and state of the running service that dialects use. */
export interface DialectState extends ServiceState {
  readonly pod: PodContext;
  /** Maximum bytes of request content, and of go-httpbin's responses. */
  readonly maxBodySize: number;
}

/** The endpoints of a dialect. It has no others of wirebin's. */
interface DialectEndpoints {
  /** Paths of wirebin's endpoints that the dialect takes over unchanged, separated by white space. */
  readonly inherited: string;
  readonly overrides: readonly Override[];
  /** Further endpoints, which wirebin does not have. */
  readonly added?: readonly Endpoint[];
}

/**
 * Makes a function that makes a dialect's endpoints from wirebin's, in the same order, followed by its own.
 *
 * @throws Error if wirebin has no endpoint with a given path, or a path is given twice
 */
export function adapt({ inherited, overrides, added = [] }: DialectEndpoints): Adapt {
  const known = new Set(completeEndpoints().map(({ path }) => path));
  const changes = new Map<string, Override['apply']>();
  const kept = inherited.trim().split(/\s+/);
  for (const { path, apply } of [...kept.map(unchanged), ...overrides]) {
    if (!known.has(path)) throw new Error(`wirebin has no endpoint ${path} to inherit or override`);
    if (changes.has(path)) throw new Error(`${path} is inherited or overridden twice`);
    changes.set(path, apply);
  }
  return (ours) => [...ours.flatMap((base) => changes.get(base.path)?.(base) ?? []), ...added];
}

function unchanged(path: string): Override {
  return { path, apply: (base) => base };
}
