import type { WireKind } from '../inspect/connection-inspection.ts';
import type { Redaction, View } from '../inspect/views/view.ts';
import type { Connection } from '../net/connection.ts';
import type { ConnectionEvents, Handler, Observer } from '../net/observer.ts';
import type { Exchange } from './exchange.ts';
import { guarded } from './failure.ts';

/** The events of connections and of the requests on them, with their arguments. */
export interface ExchangeEvents extends ConnectionEvents {
  /** The header section of a request is complete. */
  began: [exchange: Exchange];
  /** After `began`, if the request has a field of the name `JOURNAL_FIELD`. */
  journalRequested: [exchange: Exchange, key: string];
  /**
   * The response has been handed to the protocol; `exchange.endpoint` is set if there is one. `status`
   * is undefined if the client disconnected before the response. Once for each request.
   */
  responded: [exchange: Exchange, status: number | undefined];
  /**
   * The request is finished. If not `isComplete`, some of the response was not handed to the system: the
   * client disconnected, or the response was aborted.
   */
  finished: [exchange: Exchange, isComplete: boolean];
  /** With --inspect: an HTTP/2 frame or TLS record in either direction. */
  wire: [connection: Connection, kind: WireKind, view: (redaction: Redaction) => View];
  /** An error of wirebin. If it was one in a request, the response is 500, or was broken off. */
  internalError: [error: unknown];
}

/** In lower case. */
export const JOURNAL_FIELD = 'x-wirebin-journal';

export type ExchangeObserver = Observer<ExchangeEvents>;

/**
 * Combines observers into one that has only the methods that one of them has, so that other events cost nothing. An
 * error of an observer is reported, and concerns neither the others nor the request.
 */
export function combineObservers(
  observers: readonly (ExchangeObserver | undefined)[],
): Required<ExchangeObserver> {
  const reporter = { failed: (error: unknown): void => internalError?.(error) };
  const each = <Name extends keyof ExchangeEvents>(name: Name): Handler<ExchangeEvents[Name]> => {
    const methods = observers.flatMap((observer) => {
      const method = observer?.[name];
      if (!method) return [];
      return [
        name === 'internalError' ? method.bind(observer) : guarded(reporter, method.bind(observer)),
      ];
    });
    if (methods.length < 2) return methods[0];
    return (...event) => {
      for (const method of methods) method(...event);
    };
  };
  const internalError = each('internalError');
  return {
    acceptFailed: each('acceptFailed'),
    opened: each('opened'),
    secured: each('secured'),
    handshakeFailed: each('handshakeFailed'),
    detected: each('detected'),
    began: each('began'),
    journalRequested: each('journalRequested'),
    responded: each('responded'),
    finished: each('finished'),
    internalError,
    wire: each('wire'),
    rejected: each('rejected'),
    terminated: each('terminated'),
    closing: each('closing'),
    closed: each('closed'),
  };
}

/** Call when a response has begun; see `responded`. */
export function observeResponse(
  observer: ExchangeObserver,
  exchange: Exchange,
  status: number | undefined,
): void {
  observer.responded?.(exchange, status);
  const { observer: own } = exchange;
  if (own) guarded(reporterOf(observer), () => own.responded(exchange, status))();
}

/** Call when a request is finished; see `finished`. */
export function observeEnd(
  observer: ExchangeObserver,
  exchange: Exchange,
  isComplete: boolean,
): void {
  observer.finished?.(exchange, isComplete);
  const { observer: own } = exchange;
  if (own) guarded(reporterOf(observer), () => own.finished(exchange, isComplete))();
}

function reporterOf(observer: ExchangeObserver) {
  return { failed: (error: unknown): void => observer.internalError?.(error) };
}
