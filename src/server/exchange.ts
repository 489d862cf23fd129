import type { Endpoint } from './endpoint.ts';
import type { Fault } from './fault.ts';
import type { Payload } from './payload.ts';
import type { ObservedRequest } from './request.ts';
import type { RequestTiming } from './timing.ts';
import type { UpgradeChannel } from './upgrade.ts';
import type { Target } from '../http/target.ts';

/**
 * The reason of all aborted requests. Each of its own would take 20 µs and more, and thousands of requests may be
 * aborted at once.
 */
export const REQUEST_ABORTED = new DOMException('The request was aborted', 'AbortError');

/** A request and its response, as a protocol adapter passes it to dispatch. */
export interface Exchange extends ObservedRequest {
  /** Dispatch removes the dialect from its parameters. */
  target: Target | undefined;
  /** Set by dispatch; undefined if no endpoint has the path. */
  endpoint: Endpoint | undefined;
  fault: Fault | undefined;
  /** Set by dispatch if the response tells it. */
  timing: RequestTiming | undefined;
  /** Status of the response, once it has begun. */
  readonly status: number | undefined;
  /** `performance.now()` at, or soon after, the start of the response; 0 if it was not recorded. */
  respondedAt: number;
  /** Called once the response is complete or the client has disconnected. */
  onFinished: (() => void) | undefined;
  /** Responds with 503 without waiting for content, and aborts what has begun for the request. */
  refuse(): void;
  /** Calls the function once what is queued for the client has been written or dropped. */
  afterSent(call: () => void): void;
  /**
   * Sends the final response, adding only fields that the protocol requires.
   *
   * @param fields may be modified
   * @param payload not read for HEAD, or if the client has disconnected
   * @param close whether to close the connection after the response; ignored on HTTP/2
   */
  respond(status: number, fields: string[], payload: Payload, close: boolean): void;
  /**
   * Sends the response with a fault.
   *
   * @param payload as for `respond`
   * @throws Problem fault-unavailable, before anything is sent, if the protocol has no such fault
   */
  respondWithFault(status: number, fields: string[], payload: Payload, fault: Fault): void;
  /**
   * Sends the final response, after which the connection, or the stream of HTTP/2, has another protocol.
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
 * Whether a response exceeds its time limit. Measured from the first call after it began: reading the
 * clock for every response would cost too much.
 *
 * @param now from performance.now()
 * @param limit in milliseconds
 */
export function isResponseLate(exchange: Exchange, now: number, limit: number): boolean {
  if (exchange.status === undefined) return false;
  exchange.respondedAt ||= now;
  return now - exchange.respondedAt >= limit;
}
