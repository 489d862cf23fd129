import { invalidParameter, type Problem } from '../http/problem.ts';
import type { Exchange } from './exchange.ts';
import { parseQuery, singleValue } from '../http/query.ts';
import type { Reply } from './reply.ts';
import type { Router } from './router.ts';

export const DIALECT_NAMES = ['wirebin', 'httpbin', 'go-httpbin', 'gateway-api'] as const;
export type DialectName = (typeof DIALECT_NAMES)[number];

/** How everything is said that endpoints do not say themselves. */
export interface ResponseStyle {
  /** An error as an answer. */
  problem(problem: Problem): Reply;
  /**
   * The answer to OPTIONS.
   *
   * @param allow the methods of the path's endpoint, undefined where there is none
   * @returns undefined where OPTIONS is a method like any other
   */
  options(exchange: Exchange, allow: string | undefined): Reply | undefined;
  /** Adds the fields of the CORS protocol (Fetch). */
  addCorsFields(exchange: Exchange, fields: string[]): void;
  /** Whether HEAD is told the length of what GET would get; it may be left out (RFC 9110 9.3.2). */
  readonly lengthForHead: boolean;
}

/** One way to answer: a view of the same requests, and the endpoints that are its own. */
export interface Dialect extends ResponseStyle {
  readonly name: DialectName;
  readonly router: Pick<Router, 'find'>;
  /** Finds endpoints that are off until a setting turns them on. */
  readonly disabled?: Pick<Router, 'find'>;
}

const PARAMETER = 'dialect=';

/** The dialect of a service, and those that a request may ask for instead. */
export class Dialects {
  /** That of the service. */
  readonly default: Dialect;
  readonly #others: ReadonlyMap<string, Dialect>;

  /** @param others those that the query may ask for; none where it has no say */
  constructor(defaultDialect: Dialect, others: readonly Dialect[] = []) {
    this.default = defaultDialect;
    this.#others = new Map(others.map((dialect) => [dialect.name, dialect]));
  }

  /** The path as it may be shown to others: where it has secrets, its endpoint's pattern. */
  shownPath(path: string): string {
    const endpoint = this.default.router.find(path)?.endpoint;
    return endpoint?.secretPath === true ? endpoint.path : path;
  }

  /**
   * The dialect to answer in. Where the query asks for one, the parameter that does so is no longer
   * among those that endpoints see.
   *
   * @throws Problem where there is no such dialect, or more than one is asked for
   */
  select(exchange: Exchange): Dialect {
    const { target } = exchange;
    if (this.#others.size === 0 || !target?.query.includes(PARAMETER)) return this.default;
    const parts = target.query.split('&');
    const asked = parts.filter((part) => part.startsWith(PARAMETER));
    const name = singleValue(parseQuery(asked.join('&')), 'dialect');
    if (name === undefined) return this.default;
    const dialect = this.#others.get(name);
    if (!dialect) {
      const names = [...this.#others.keys()].join(', ');
      throw invalidParameter('dialect', name, `is none of ${names}`);
    }
    const parameters = parts.filter((part) => !part.startsWith(PARAMETER)).join('&');
    exchange.target = { ...target, endpointQuery: parameters };
    return dialect;
  }
}
