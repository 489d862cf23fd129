import { invalidParameter, type Problem } from '../http/problem.ts';
import type { Exchange } from './exchange.ts';
import { takeParameter } from '../http/target.ts';
import type { Reply } from './reply.ts';
import type { Router } from './router.ts';

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
   * Selects the dialect of a request. Removes the `dialect` parameter from those that endpoints see.
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
