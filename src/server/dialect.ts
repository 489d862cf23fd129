import { invalidParameter, Problem } from '../http/problem.ts';
import type { ReasonPhrases } from '../http/status.ts';
import { takeParameter, type Target } from '../http/target.ts';
import type { Capabilities } from './allow.ts';
import type { Disturbance } from './chaos.ts';
import type { Reply } from './reply.ts';
import type { Request } from './request.ts';
import type { Match, Router } from './router.ts';

export const DIALECT_NAMES = [
  'wirebin',
  'httpbin',
  'go-httpbin',
  'gateway-api',
  'postman-echo',
] as const;
export type DialectName = (typeof DIALECT_NAMES)[number];

/** The endpoints of wirebin or of a service that it imitates, and the form of responses that no endpoint makes. */
export interface Dialect {
  /** Includes gRPC, which a request selects by its path and Content-Type. */
  readonly name: DialectName | 'grpc';
  readonly router: Pick<Router, 'find'>;
  /** Finds endpoints that are off, so that the problem can name their setting. */
  readonly disabled?: Pick<Router, 'find'>;
  /** In other dialects: finds the endpoints of wirebin's own dialect. */
  readonly ownDialect?: Pick<Router, 'find'>;
  /** Whether one endpoint has all paths that no other endpoint has. gRPC methods take precedence over it. */
  readonly hasEveryPath?: boolean;
  /** Makes the response to an error. */
  problem(problem: Problem, request: Request): Reply;
  /**
   * Makes the response to OPTIONS.
   *
   * @param target the endpoint at this path, or `*`; undefined without one
   * @returns undefined if the dialect handles OPTIONS like other methods
   */
  options(request: Request, target: Capabilities | undefined): Reply | undefined;
  /** Adds the fields of CORS (Fetch). */
  addCorsFields(request: Request, fields: string[]): void;
  /** Makes the response to a disturbance by --chaos, if its form is not that of an endpoint's response. */
  chaos?(disturbance: Disturbance, request: Request): Reply | undefined;
  /** Reason phrases of all responses, if they differ from those of Node. */
  readonly reasonPhrases?: ReasonPhrases;
  /** Whether a response to HEAD has Content-Length, which is optional there (RFC 9110 9.3.2). */
  readonly lengthForHead: boolean;
  /** Whether requests can ask for digests (RFC 9530) and Server-Timing. */
  readonly optionalFields?: boolean;
}

/** The problem of a path without an endpoint. If the endpoint is off, it names the setting. */
export function notFound(path: string, { disabled, ownDialect }: Dialect): Problem {
  const { setting } = disabled?.find(path)?.endpoint ?? {};
  if (setting !== undefined) {
    return new Problem('endpoint-off', `${path} is off; ${setting} turns it on`);
  }
  const isOwn = ownDialect?.find(path) !== undefined;
  const what = isOwn ? "in this dialect, only in wirebin's own" : 'a path of wirebin';
  return new Problem('not-found', `${path} is not ${what}; see /`);
}

const PARAMETER = /^dialect=/;

/** The default dialect of a service, and the others that a request can select. */
export class Dialects {
  readonly default: Dialect;
  readonly #make: ((name: DialectName) => Dialect) | undefined;
  readonly #made: Map<Dialect['name'], Dialect>;

  /** @param make makes a selected dialect, once per name; undefined if requests cannot select any */
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
  select(exchange: { target: Target | undefined }): Dialect {
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

/** Responses that a request or a rule describes, which replace those of endpoints. */
export interface DescribedPaths {
  /**
   * @param isFree true if no endpoint has the path as its own
   * @returns undefined if the response is not described
   * @throws Problem if the description is invalid
   */
  find(request: Request, path: string, isFree: boolean, dialect: Dialect): Match | undefined;
}
