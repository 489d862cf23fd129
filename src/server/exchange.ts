import type { Dialect } from './dialect.ts';
import type { Endpoint } from './endpoint.ts';
import type { Fault, NamedFault } from './fault.ts';
import type { Payload } from './payload.ts';
import type { Reply } from './reply.ts';
import type { ObservedRequest, Request } from './request.ts';
import type { RequestTiming } from './timing.ts';
import type { UpgradeChannel } from './upgrade.ts';
import type { FieldLines } from '../http/fields.ts';
import type { Target } from '../http/target.ts';

/**
 * Abort reason of all requests. A new one for each would take 20 µs or more, and thousands of requests may be aborted
 * at the same time.
 */
export const REQUEST_ABORTED = new DOMException('The request was aborted', 'AbortError');

/** The state of an exchange that does not depend on its protocol. */
export abstract class ExchangeState {
  isFinished = false;
  /** The dialect of the response. Set by dispatch; until then undefined, which means the default one. */
  dialect: Dialect | undefined;
  /** The matching endpoint, set by dispatch; undefined if there is none. */
  endpoint: Endpoint | undefined;
  /** Times for Server-Timing. Set by dispatch if the response has it. */
  timing: RequestTiming | undefined;
  /** `performance.now()` at the start of the response, or soon after it; 0 if it was not recorded. */
  respondedAt = 0;
  bytes = 0;
  /**
   * Called once with the trailers of the request, if there are any, before its handler can read them. Set by dispatch.
   *
   * @returns whether they are kept
   */
  onTrailers: ((exchange: Exchange, trailers: FieldLines) => boolean) | undefined;
  status: number | undefined;
  fault: NamedFault | undefined;
  call: Request['call'];
  reserve: Request['reserve'];
  isProgressing: Request['isProgressing'];
  observer: Request['observer'];
  /** Called at the end. Kept apart from the others: most requests have only one function, and then need no list. */
  #first: (() => void) | undefined;
  #others: (() => void)[] | undefined;

  whenFinished(call: () => void): void {
    if (this.isFinished) attempt(this, call);
    else if (this.#first) (this.#others ??= []).push(call);
    else this.#first = call;
  }

  /** Ends the request. Further calls do nothing. An error of one function does not keep the others from being called. */
  finish(): void {
    if (this.isFinished) return;
    this.isFinished = true;
    if (this.#first) attempt(this, this.#first);
    if (this.#others) for (const call of this.#others) attempt(this, call);
  }

  abstract failed(error: unknown): void;
}

/** As `guarded`, which makes a function of each call. */
function attempt(exchange: ExchangeState, call: () => void): void {
  try {
    call();
  } catch (error) {
    exchange.failed(error);
  }
}

type OwnState = 'dialect' | 'endpoint' | 'timing' | 'respondedAt' | 'onTrailers';

/** A request and its response, between a protocol adapter and dispatch. */
export interface Exchange extends ObservedRequest, Pick<ExchangeState, OwnState> {
  /** Parsed target. Dispatch removes the parameter `dialect` from it. */
  target: Target | undefined;
  fault: NamedFault | undefined;
  /** Whether `signal` has aborted. Does not create the signal, which would take 15 µs. */
  readonly isAborted: boolean;
  /** Status of the response; undefined until it begins. */
  readonly status: number | undefined;
  /** Responds with 503 without waiting for content, and aborts the work on the request. */
  refuse(): void;
  /** Calls the function once all data queued for the client has been written or dropped. */
  afterSent(call: () => void): void;
  /**
   * Discards the content as it arrives, unless something reads it or has paused it. Otherwise unread content would
   * stall the stream, or hide that the client has disconnected. Call if the handler has to wait and does not read the
   * content. Until then, content waits for a reader; once the response begins, the protocol discards it.
   */
  discardUnread(): void;
  /**
   * Sends the final response. Adds only fields that the protocol requires.
   *
   * @param fields may be modified
   * @param payload not read if the method is HEAD or the client has disconnected
   * @param close as in `Reply`
   */
  respond(status: number, fields: string[], payload: Payload, close: Reply['close']): void;
  /**
   * Sends the response with a fault.
   *
   * @param payload as for `respond`
   * @throws Problem fault-unavailable before anything is sent, if the fault does not exist in the protocol
   */
  respondWithFault(status: number, fields: string[], payload: Payload, fault: Fault): void;
  /**
   * Sends the final response. After it, the connection, or the stream on HTTP/2, uses another protocol.
   *
   * @param fields as for `respond`
   * @param begin called unless the client has disconnected
   */
  respondWithUpgrade(
    status: number,
    fields: string[],
    begin: (channel: UpgradeChannel) => void,
  ): void;
}

/**
 * Whether a response exceeds its time limit. The time is measured from the first call after the response began, because
 * reading the clock for every response would be slow.
 *
 * @param now from performance.now()
 * @param limit in milliseconds
 */
export function isResponseLate(exchange: Exchange, now: number, limit: number): boolean {
  if (exchange.status === undefined) return false;
  exchange.respondedAt ||= now;
  return now - exchange.respondedAt >= limit;
}
