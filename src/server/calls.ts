import { fieldValue } from '../http/fields.ts';
import { turns } from '../net/scheduler.ts';
import type { Exchange } from './exchange.ts';
import type { CallState, Request } from './request.ts';
import type { Dialect } from './dialect.ts';
import { allowReserving, type MemoryBudget } from './request-cost.ts';
import type { Match } from './router.ts';

/** Status of a call that the client has left. */
const CANCELLED = 1;

type Found = Match | undefined;

/** Whether a request is a gRPC call, by its Content-Type. */
export function isCall({ fields }: Request): boolean {
  return /^application\/grpc/i.test(fieldValue(fields, 'content-type') ?? '');
}

/**
 * Whether a request is a gRPC call, or may be the preflight of one (Fetch), or one with another Content-Type, which is
 * 415 at the path of a method.
 */
export function mayBeCall(request: Request): boolean {
  const { method, fields } = request;
  if (method !== 'OPTIONS') return method === 'POST' || isCall(request);
  return fieldValue(fields, 'access-control-request-method') === 'POST';
}

/** The dialect of gRPC, which the first call loads: most services never have one. */
export class Calls {
  readonly #load: () => Promise<Dialect>;
  readonly #memory: MemoryBudget;
  #dialect: Dialect | undefined;
  #loading: Promise<Dialect> | undefined;

  /** @param memory for messages */
  constructor(load: () => Promise<Dialect>, memory: MemoryBudget) {
    this.#load = load;
    this.#memory = memory;
  }

  /**
   * Finds the method of a request that may be a call, and gives it the dialect of gRPC.
   *
   * @param match what its own dialect has at the path
   * @returns that if it is no call; a promise if methods have to be loaded
   */
  find(exchange: Exchange, path: string, match: Found): Found | Promise<Found> {
    if (this.#dialect) return this.#find(this.#dialect, exchange, path, match);
    return this.#loaded(exchange).then((dialect) => this.#find(dialect, exchange, path, match));
  }

  #find(dialect: Dialect, exchange: Exchange, path: string, match: Found): Found {
    const method = dialect.router.find(path);
    // The preflight of another path, or the other dialect has the path.
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
      // A file may be readable the next time.
      this.#loading = undefined;
      throw error;
    }
    // Thousands of requests may have waited.
    await turns.waitForTurn(connection);
    return this.#dialect;
  }
}
