import type { ConnectionObserver } from '../net/observer.ts';
import type { Endpoint } from './endpoint.ts';
import type { Payload } from './payload.ts';
import type { Request } from './request.ts';
import type { Target } from '../http/target.ts';

/** A request and the way to answer it: what an adapter hands to dispatch, and all it knows. */
export interface Exchange extends Request {
  /** Dispatch takes the choice of a dialect out of its parameters. */
  target: Target | undefined;
  /** Noted by dispatch; undefined where none has the path. */
  endpoint: Endpoint | undefined;
  /** Of the answer, once it has been given. */
  readonly status: number | undefined;
  /** Bytes of the answer's content handed over so far, codings of the content included. */
  readonly bytes: number;
  /** `performance.now()` when the answer was given, or soon after, where somebody wanted to know; else 0. */
  respondedAt: number;
  /** Called once the answer is through or the client has gone. */
  onFinished: (() => void) | undefined;
  /** Sends 100 (Continue) all the same, where the protocol has such a thing (RFC 9110 15.2). */
  sendContinue(): void;
  /** Answers with 503 before anything was done for it, and waits for nothing more of the request. */
  refuse(): void;
  /**
   * Sends the one final answer, to which only the protocol's own fields are added.
   *
   * @param fields the adapter's from now on
   * @param payload stays unread for HEAD, and where the client has gone
   * @param close whether to close the connection behind it; HTTP/2 has no such thing
   */
  respond(status: number, fields: string[], payload: Payload, close: boolean): void;
}

/** Who is told what becomes of connections and the requests on them. */
export interface ExchangeObserver extends ConnectionObserver {
  /** The header section of a request is complete. */
  began?(exchange: Exchange): void;
  /**
   * The request is over.
   *
   * @param through whether all of its answer has been handed to the system; else the client has gone,
   *   or the answer was cut
   */
  finished(exchange: Exchange, through: boolean): void;
}

/**
 * Whether an answer takes longer than it may, since the first call that found it given: a clock read
 * for each would cost more than all that is asked of it.
 *
 * @param now by performance.now()
 * @param limit in milliseconds
 */
export function isResponseLate(exchange: Exchange, now: number, limit: number): boolean {
  if (exchange.status === undefined) return false;
  exchange.respondedAt ||= now;
  return now - exchange.respondedAt >= limit;
}
