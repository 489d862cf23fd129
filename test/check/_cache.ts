import { listOf, valueOf, valuesOf, type FieldLine } from '../../src/check/message.ts';
import type { ClientRequest, ClientResponse } from './_gateway-messages.ts';

/** A rule of RFC 9111 that a cache does not keep. */
export type CacheFault =
  | 'no-store'
  | 'private'
  | 'no-cache'
  | 's-maxage'
  | 'must-revalidate'
  | 'expires'
  | 'authorization'
  | 'vary'
  | 'vary-star'
  | 'method'
  | 'host'
  | 'query'
  | 'partial'
  | 'error'
  | 'age'
  | 'invalidation'
  | 'set-cookie'
  | 'request-no-cache'
  | 'etag'
  | 'stale'
  | 'stale-fetched'
  | 'min-fresh'
  | 'only-if-cached'
  | 'freshened'
  | 'must-revalidate-stale'
  | 'reuse';

/** What a cache does wrong beyond that: changes to what it would do. */
export interface CacheRules {
  /** Changes what a stored response is found by. */
  readonly key?: (key: string, request: ClientRequest) => string;
  /** Whether it looks for a stored response. Default: for GET without Range. */
  readonly looks?: (request: ClientRequest) => boolean;
  /** Changes for how many seconds a response is reused. */
  readonly lifetime?: (
    seconds: number,
    request: ClientRequest,
    response: Pick<ClientResponse, 'status' | 'fields'>,
  ) => number;
  /** Seconds for which a response is reused after its lifetime. */
  readonly grace?: number;
  /** Whether a stored response is reused for a request; by default if what Vary lists is the same. */
  readonly matches?: (value: string, stored: string) => boolean;
  /** Changes a stored response before it is sent. */
  readonly reuses?: (stored: Stored, request: ClientRequest) => Stored;
  /** Whether a stored response outlives an unsafe request. */
  readonly keeps?: (request: ClientRequest, status: number) => boolean;
  /** Whether it reuses what is stale if it does not reach the origin. */
  readonly reusesIfGone?: boolean;
  /** Whether it also invalidates a URI that the response to an unsafe request names in a field. */
  readonly invalidates?: (field: string, uri: URL, request: ClientRequest) => boolean;
  /** Whether it requests a response, too, that it reuses nevertheless. */
  readonly fetches?: boolean;
}

/** What a response takes to be sent again. */
export interface Stored {
  readonly status: number;
  readonly fields: readonly FieldLine[];
  readonly content: Buffer;
  readonly at: number;
  readonly lifetime: number;
  /** The fields of the request that Vary lists. */
  readonly varying: string;
}

/** Freshness of what a faulty cache stores without a lifetime, in seconds. */
const LONG = 60;

/** A shared cache in memory. */
export class TestCache {
  readonly #fault: CacheFault | undefined;
  readonly #rules: CacheRules;
  readonly #stored = new Map<string, Stored>();

  constructor(fault: CacheFault | CacheRules | undefined) {
    this.#fault = typeof fault === 'string' ? fault : undefined;
    this.#rules = typeof fault === 'object' ? fault : {};
  }

  /** Whether a response that is reused is requested nevertheless. */
  get fetches(): boolean {
    return this.#rules.fetches ?? this.#fault === 'stale-fetched';
  }

  /** The response that answers a request without the origin. */
  find(request: ClientRequest): Stored | undefined {
    const { looks, reuses } = this.#rules;
    const stored = (looks?.(request) ?? this.#looks(request)) ? this.#found(request) : undefined;
    return stored && (reuses?.(stored, request) ?? stored);
  }

  /** The stored response, also a stale one, for a request that has not reached the origin. */
  ifGone(request: ClientRequest): Stored | undefined {
    const isReused = this.#rules.reusesIfGone === true && this.#looks(request);
    return isReused ? this.#stored.get(this.#key(request)) : undefined;
  }

  /** Whether it does not forward a request for which it has nothing (RFC 9111 5.2.1.7). */
  isOnlyIfCached({ fields }: ClientRequest): boolean {
    return (
      this.#fault !== 'only-if-cached' && listOf(fields, 'cache-control').includes('only-if-cached')
    );
  }

  /** The field that validates a stored response, if the client has sent none. */
  conditionFor(request: ClientRequest): FieldLine[] {
    const stored = this.#looks(request) ? this.#stored.get(this.#key(request)) : undefined;
    const etag = valueOf(stored?.fields ?? [], 'etag');
    const isConditional = valueOf(request.fields, 'if-none-match') !== undefined;
    return etag === undefined || isConditional ? [] : [['If-None-Match', etag]];
  }

  /** The stored response as a 304 response updates it (RFC 9111 4.3.4); undefined if the client has asked for that. */
  freshened(request: ClientRequest, { status, fields }: ClientResponse): Stored | undefined {
    if (status !== 304 || this.conditionFor(request).length === 0) return undefined;
    const key = this.#key(request);
    const stored = this.#stored.get(key);
    if (!stored) return undefined;
    const names = new Set(fields.map(([name]) => name.toLowerCase()));
    const kept = stored.fields.filter(([name]) => !names.has(name.toLowerCase()));
    const updated = this.#fault === 'freshened' ? stored.fields : [...kept, ...fields];
    const fresh = { ...stored, fields: updated, at: Date.now() };
    this.#stored.set(key, fresh);
    return fresh;
  }

  #looks({ method, fields }: ClientRequest): boolean {
    if (method !== 'GET' && this.#fault !== 'method') return false;
    return valueOf(fields, 'range') === undefined;
  }

  #found(request: ClientRequest): Stored | undefined {
    const { grace = 0, matches = (value, other) => value === other } = this.#rules;
    const stored = this.#stored.get(this.#key(request));
    if (!stored) return undefined;
    const age = Math.floor((Date.now() - stored.at) / 1000);
    if (age >= stored.lifetime + grace && !this.#mayBeStale(stored)) return undefined;
    if (!matches(this.#varying(request, stored.fields), stored.varying)) return undefined;
    const directives = listOf(request.fields, 'cache-control');
    if (directives.includes('no-cache') && this.#fault !== 'request-no-cache') return undefined;
    const minFresh = this.#fault === 'min-fresh' ? undefined : secondsOf(directives, 'min-fresh');
    if (minFresh !== undefined && minFresh > stored.lifetime - age) return undefined;
    const others = stored.fields.filter(([name]) => name.toLowerCase() !== 'age');
    const fields: FieldLine[] =
      this.#fault === 'age'
        ? [...stored.fields]
        : [...others, ['Age', String(ageOf(stored.fields) + age)]];
    const etag = valueOf(stored.fields, 'etag');
    const isUnchanged =
      etag !== undefined &&
      valueOf(request.fields, 'if-none-match') === etag &&
      this.#fault !== 'etag';
    return isUnchanged
      ? { ...stored, status: 304, fields, content: Buffer.alloc(0) }
      : { ...stored, fields };
  }

  #mayBeStale({ fields }: Stored): boolean {
    const mustValidate = listOf(fields, 'cache-control').includes('must-revalidate');
    if (mustValidate) return this.#fault === 'must-revalidate-stale';
    return this.#fault === 'stale' || this.#fault === 'stale-fetched';
  }

  /** For how many seconds a response may be reused; 0 if it must not be stored. */
  lifetimeOf(request: ClientRequest, response: Pick<ClientResponse, 'status' | 'fields'>): number {
    const seconds = this.#lifetimeOf(request, response);
    return this.#rules.lifetime?.(seconds, request, response) ?? seconds;
  }

  #lifetimeOf(
    request: ClientRequest,
    { status, fields }: Pick<ClientResponse, 'status' | 'fields'>,
  ): number {
    const fault = this.#fault;
    if (request.method !== 'GET' || fault === 'reuse') return 0;
    if (fault === 'partial' && status === 206) return LONG;
    if (fault === 'error' && status === 500) return LONG;
    if (status !== 200) return 0;
    const directives = listOf(fields, 'cache-control');
    const has = (name: CacheFault): boolean =>
      fault !== name && directives.some((each) => each === name || each.startsWith(`${name}="`));
    if (has('no-store') || has('private') || has('no-cache')) return 0;
    if (valueOf(fields, 'set-cookie') !== undefined && fault !== 'set-cookie') return 0;
    if (listOf(fields, 'vary').includes('*') && fault !== 'vary-star') return 0;
    const isShared = ['public', 's-maxage', 'must-revalidate'].some((name) =>
      directives.some((directive) => directive.split('=')[0] === name),
    );
    if (
      valueOf(request.fields, 'authorization') !== undefined &&
      !isShared &&
      fault !== 'authorization'
    )
      return 0;
    if (fault === 'must-revalidate' && directives.includes('must-revalidate')) return LONG;
    if (fault === 'expires' && valueOf(fields, 'expires') !== undefined) return LONG;
    const shared = fault === 's-maxage' ? undefined : secondsOf(directives, 's-maxage');
    return Math.max(0, (shared ?? secondsOf(directives, 'max-age') ?? 0) - ageOf(fields));
  }

  store(request: ClientRequest, response: ClientResponse): void {
    const lifetime = this.lifetimeOf(request, response);
    const { content, fields, status } = response;
    if (lifetime === 0 || !content) return;
    this.#stored.set(this.#key(request), {
      status: status === 206 ? 200 : status,
      fields: [...fields],
      content,
      at: Date.now(),
      lifetime,
      varying: this.#varying(request, fields),
    });
  }

  /** RFC 9111 4.4. */
  invalidate(
    request: ClientRequest,
    { status, fields }: Pick<ClientResponse, 'status' | 'fields'>,
  ): void {
    const isSafe = ['GET', 'HEAD', 'OPTIONS', 'QUERY', 'TRACE'].includes(request.method);
    if (this.#rules.keeps?.(request, status) === true) return;
    if (isSafe || status >= 400 || this.#fault === 'invalidation') return;
    this.#stored.delete(this.#key(request));
    for (const [name, value] of fields) {
      if (!/^(?:content-)?location$/i.test(name) || !URL.canParse(value)) continue;
      const uri = new URL(value);
      if (this.#rules.invalidates?.(name.toLowerCase(), uri, request) !== true) continue;
      const { host: authority, pathname, search } = uri;
      this.#stored.delete(this.#key({ ...request, authority, target: pathname + search }));
    }
  }

  #key(request: ClientRequest): string {
    const { authority, target } = request;
    const host = this.#fault === 'host' ? '' : authority;
    const key = `${host} ${this.#fault === 'query' ? target.replace(/-other$/, '') : target}`;
    return this.#rules.key?.(key, request) ?? key;
  }

  #varying(request: ClientRequest, fields: readonly FieldLine[]): string {
    if (this.#fault === 'vary') return '';
    return listOf(fields, 'vary')
      .map((name) => valuesOf(request.fields, name).join())
      .join('\n');
  }
}

/** Seconds since the origin has made a response, as it arrives. */
function ageOf(fields: readonly FieldLine[]): number {
  return Number(valueOf(fields, 'age') ?? 0);
}

/** The value of a directive that is a number of seconds. */
function secondsOf(directives: readonly string[], name: string): number | undefined {
  const directive = directives.find((each) => each.startsWith(`${name}=`));
  return directive === undefined ? undefined : Number(directive.slice(name.length + 1));
}
