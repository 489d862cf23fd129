import { fieldValue } from '../http/fields.ts';
import type { WireKind } from '../inspect/connection-inspection.ts';
import type { Redaction, View } from '../inspect/views/view.ts';
import type { Connection } from '../net/connection.ts';
import type { ConnectionEvents, Handler, Observer } from '../net/observer.ts';
import type { Exchange } from './exchange.ts';
import { guarded } from './failure.ts';

/** Events of connections and of their requests, with their arguments. */
export interface ExchangeEvents extends ConnectionEvents {
  /** The header section of a request was received. */
  began: [exchange: Exchange];
  /** Follows `began` if the request has the field `JOURNAL_FIELD`. */
  journalRequested: [exchange: Exchange, key: string];
  /**
   * The response was handed to the protocol. `exchange.endpoint` is the matching one. `status` is undefined if the
   * client disconnected first. Emitted once per request.
   */
  responded: [exchange: Exchange, status: number | undefined];
  /**
   * The request is finished. Without `isComplete`, the operating system has not taken the whole response, because the
   * client disconnected, or the response was aborted.
   */
  finished: [exchange: Exchange, isComplete: boolean];
  /** With --inspect: an HTTP/2 frame or TLS record in either direction. */
  wire: [connection: Connection, kind: WireKind, view: (redaction: Redaction) => View];
  /** An internal error. If it belongs to a request, the response is 500, or is cut off if it has begun. */
  internalError: [error: unknown];
}

/** Name of the field that asks for a journal entry, in lower case. */
export const JOURNAL_FIELD = 'x-wirebin-journal';

export type ExchangeObserver = Observer<ExchangeEvents>;

/**
 * Combines observers into one. It has only those methods that at least one of them has, so that other events cost
 * nothing. An error in an observer is reported, and affects neither the other observers nor the request.
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

/** Call when the header section of a request was received; see `began`. */
export function observeBegin(observer: ExchangeObserver, exchange: Exchange): void {
  observer.began?.(exchange);
  if (!observer.journalRequested) return;
  const key = fieldValue(exchange.fields, JOURNAL_FIELD);
  if (key !== undefined) observer.journalRequested(exchange, key);
}

/** Call when a response has begun; see `responded`. */
export function observeResponse(
  observer: ExchangeObserver,
  exchange: Exchange,
  status: number | undefined,
): void {
  observer.responded?.(exchange, status);
  const { observer: own } = exchange;
  if (own) guarded(errorReporter(observer), () => own.responded(exchange, status))();
}

/** Call when a request is finished; see `finished`. */
export function observeEnd(
  observer: ExchangeObserver,
  exchange: Exchange,
  isComplete: boolean,
): void {
  observer.finished?.(exchange, isComplete);
  const { observer: own } = exchange;
  if (own) guarded(errorReporter(observer), () => own.finished(exchange, isComplete))();
}

function errorReporter(observer: ExchangeObserver) {
  return { failed: (error: unknown): void => observer.internalError?.(error) };
}
