import { fieldValue } from '../http/fields.ts';
import { turns } from '../net/turn-budget.ts';
import type { Exchange } from './exchange.ts';
import type { CallState, Request } from './request.ts';
import type { Dialect } from './dialect.ts';
import { allowReserving, type MemoryBudget } from './request-cost.ts';

/** Status of a call that the client has left. */
const CANCELLED = 1;

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

/** The methods of gRPC, which the first call loads: most services never have one. */
export class Calls {
  readonly #load: () => Promise<Dialect>;
  #methods: Dialect | undefined;
  #loading: Promise<Dialect> | undefined;

  constructor(load: () => Promise<Dialect>) {
    this.#load = load;
  }

  /** The methods for a request. If that has to wait for them, its content is paused. */
  for(exchange: Exchange): Dialect | Promise<Dialect> {
    return this.#methods ?? this.#loaded(exchange);
  }

  async #loaded({ body, connection }: Exchange): Promise<Dialect> {
    // Otherwise, content would be discarded.
    body.pause();
    try {
      this.#loading ??= this.#load();
      this.#methods = await this.#loading;
    } catch (error) {
      // A file may be readable the next time.
      this.#loading = undefined;
      throw error;
    }
    // Thousands of requests may have waited.
    await turns.next(connection);
    return this.#methods;
  }
}

/** Makes a request a gRPC call. */
export function beginCall(exchange: Exchange, memory: MemoryBudget): void {
  const call: CallState = { status: undefined };
  exchange.call = call;
  allowReserving(exchange, memory);
  exchange.whenFinished(() => {
    // A response that a fault cuts off has no status.
    if (!exchange.fault) call.status ??= CANCELLED;
  });
}
