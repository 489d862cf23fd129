import { fieldValue } from '../http/fields.ts';
import { turns } from '../net/scheduler.ts';
import type { Exchange } from './exchange.ts';
import type { CallState, Request } from './request.ts';
import type { Dialect } from './dialect.ts';
import { allowReserving, type MemoryBudget } from './request-cost.ts';
import type { Match } from './router.ts';

/** The gRPC status CANCELLED, of a call that the client has abandoned. */
const CANCELLED = 1;

type Found = Match | undefined;

/** Whether a request is a gRPC call, by its Content-Type. */
export function isCall({ fields }: Request): boolean {
  return /^application\/grpc/i.test(fieldValue(fields, 'content-type') ?? '');
}

/**
 * Whether a request is a gRPC call or may have to be treated as one: a preflight for a call (Fetch), or a POST with
 * another Content-Type, which gets 415 at the path of a gRPC method.
 */
export function mayBeCall(request: Request): boolean {
  const { method, fields } = request;
  if (method !== 'OPTIONS') return method === 'POST' || isCall(request);
  return fieldValue(fields, 'access-control-request-method') === 'POST';
}

/** The gRPC dialect. The first call loads it, because most services never get one. */
export class Calls {
  readonly #load: () => Promise<Dialect>;
  readonly #memory: MemoryBudget;
  #dialect: Dialect | undefined;
  #loading: Promise<Dialect> | undefined;

  /** @param memory budget for messages */
  constructor(load: () => Promise<Dialect>, memory: MemoryBudget) {
    this.#load = load;
    this.#memory = memory;
  }

  /**
   * Finds the gRPC method for a request that may be a call, and sets the dialect of the request.
   *
   * @param match what the request's own dialect has at the path
   * @returns the method, or `match` if the request is not a call; a promise if the dialect has to be loaded
   */
  find(exchange: Exchange, path: string, match: Found): Found | Promise<Found> {
    if (this.#dialect) return this.#find(this.#dialect, exchange, path, match);
    return this.#loaded(exchange).then((dialect) => this.#find(dialect, exchange, path, match));
  }

  #find(dialect: Dialect, exchange: Exchange, path: string, match: Found): Found {
    const method = dialect.router.find(path);
    // There is no such method. The request is left to its own dialect if that has the path, or if it is not a call.
    if (!method && (match || !isCall(exchange))) return match;
    exchange.dialect = dialect;
    if (!isCall(exchange)) return method;
    const call: CallState = { status: undefined };
    exchange.call = call;
    allowReserving(exchange, this.#memory);
    exchange.whenFinished(() => {
      // A response that a fault cuts off has no status.
      if (!exchange.fault) call.status ??= CANCELLED;
    });
    return method;
  }

  async #loaded({ connection }: Exchange): Promise<Dialect> {
    try {
      this.#loading ??= this.#load();
      this.#dialect = await this.#loading;
    } catch (error) {
      // The next call tries again, because a file may have become readable.
      this.#loading = undefined;
      throw error;
    }
    // Takes a turn, because thousands of requests may have waited for the dialect.
    await turns.waitForTurn(connection);
    return this.#dialect;
  }
}
