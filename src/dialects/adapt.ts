import { completeEndpoints, type Adapt, type ServiceState } from '../endpoints/all.ts';
import type { Endpoint, Override } from '../server/endpoint.ts';
import type { PodContext } from './gateway-api/view.ts';

/** The settings and state of the running service that dialects depend on. */
export interface DialectState extends ServiceState {
  readonly pod: PodContext;
  /** Maximum content of a request, and of a go-httpbin response, in bytes. */
  readonly maxBodySize: number;
}

/** What a dialect serves. wirebin's endpoints that are not named here are not part of it. */
interface DialectEndpoints {
  /** Paths of wirebin's endpoints that the dialect takes over as they are, separated by white space. */
  readonly inherited: string;
  readonly overrides: readonly Override[];
  /** Endpoints that wirebin does not have. */
  readonly added?: readonly Endpoint[];
}

const known: ReadonlySet<string> = new Set(completeEndpoints.map(({ path }) => path));

/**
 * Makes a dialect's endpoints from wirebin's, in the same order; its own follow.
 *
 * @throws Error if wirebin has no endpoint with a path that is named, or one is named twice
 */
export function adapt({ inherited, overrides, added = [] }: DialectEndpoints): Adapt {
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
