import type { Readable } from 'node:stream';
import type { Connection } from '../net/connection.ts';
import type { Problem } from '../http/problem.ts';
import type { TerminationReason } from '../net/close-reason.ts';
import type { FieldLines } from '../http/fields.ts';
import type { Target } from '../http/target.ts';
import type { Fault } from './fault.ts';

/** Flow-control windows in bytes (RFC 9113 6.9). */
export interface Windows {
  readonly connection: { readonly toClient: number; readonly toServer: number };
  /** Towards the client, Node provides only the initial window of a stream. */
  readonly stream: { readonly initialToClient: number; readonly toServer: number };
}

/** SETTINGS parameters that a request may have sent (RFC 9113 6.5.2, RFC 8441 3). */
export type Http2SettingName =
  | 'header_table_size'
  | 'max_concurrent_streams'
  | 'initial_window_size'
  | 'max_frame_size'
  | 'max_header_list_size'
  | 'enable_connect_protocol';

/** What a request may have sent on its HTTP/2 connection. */
export interface SessionControl {
  /** Maximum of SETTINGS_INITIAL_WINDOW_SIZE, in bytes: a stream that is not read takes that much memory. */
  readonly maxWindow: number;
  /** Those of wirebin that the client has acknowledged; undefined if the session has ended. */
  readonly acknowledgedSettings: Readonly<Record<Http2SettingName, number>> | undefined;
  /**
   * Sends SETTINGS.
   *
   * @param limit in milliseconds
   * @returns milliseconds until the acknowledgement; undefined if there is none in time
   * @throws Problem overloaded if too many await their acknowledgement
   */
  sendSettings(
    settings: ReadonlyMap<Http2SettingName, number>,
    limit: number,
  ): Promise<number | undefined>;
  /** Sends PING. @returns milliseconds until the acknowledgement; undefined if there is none within the limit */
  ping(limit: number): Promise<number | undefined>;
}

/** The HTTP/2 stream of a request. */
export interface StreamFacts {
  /** Stream identifier (RFC 9113 5.1.1). */
  readonly id: number;
  /** Number of open streams when it began, including this one. */
  readonly open: number;
  /** Error code of either side (RFC 9113 7); 0 if there is no error or the stream is not closed. */
  readonly errorCode: number;
  readonly session: SessionControl;
  /** The current windows; undefined if the session has ended. */
  windows(): Windows | undefined;
}

/** A request as received, on any protocol. */
export interface Request {
  readonly method: string;
  /** As in the request line, or `HTTP/2.0`. */
  readonly version: string;
  /** The target as sent; `target` is the parsed form. */
  readonly rawTarget: string;
  /** undefined if the target has none of the forms of RFC 9112 3.2. */
  readonly target: Target | undefined;
  /** Including HTTP/2 pseudo-header fields. */
  readonly fields: FieldLines;
  readonly connection: Connection;
  /** 1 for the first request on the connection. */
  readonly requestNumber: number;
  /** HTTP/2 only. */
  readonly stream: StreamFacts | undefined;
  /** `performance.now()` when the header section was complete. */
  readonly receivedAt: number;
  /** Whether content follows the header section. */
  readonly hasBody: boolean;
  /** Whether the end of the request has arrived; on HTTP/2 valid until the stream is closed. */
  readonly complete: boolean;
  /** HTTP/1.x: why the content will never be complete, if its end has not been found. */
  readonly contentProblem?: Problem | undefined;
  /** The trailers as sent (RFC 9110 6.5), available once the content has been read. */
  readonly trailers: FieldLines;
  /** The content; body.ts has functions that read it. */
  readonly body: Readable;
  /**
   * Sends an interim response (RFC 9110 15.2), but not to HTTP/1.0 or after the final response has begun.
   *
   * @param status 100 to 199, but not 101
   * @returns whether it was sent
   */
  sendInformation(status: number, fields?: readonly string[]): boolean;
  /**
   * Calls a function that sends a large header section, within the budget of an iteration of the event
   * loop and once earlier responses of the connection have been written, or when the client has
   * disconnected. If it throws, the request has failed.
   */
  sendLarge(send: () => void): void;
  /** Sends 100 (Continue) if the client expects it (RFC 9110 10.1.1). */
  sendContinueIfExpected(): void;
  /**
   * Ends the request with the response, in whose place content that has not arrived by then would be
   * read and discarded.
   *
   * @param how close: closes the connection gracefully once open requests are complete; stop: resets the
   * stream with NO_ERROR (RFC 9113 8.1)
   * @throws Problem fault-unavailable if the protocol has no streams
   */
  endWithResponse(how: 'close' | 'stop'): void;
  /**
   * Called when the request timeout expires: whether enough content arrived to renew the timeout. Set
   * by readers of long content.
   */
  isProgressing: (() => boolean) | undefined;
  /** Aborts when the client disconnects or resets the stream before the response is complete. */
  readonly signal: AbortSignal;
  /**
   * Ends the request because of an error that its handler cannot throw, such as one of a callback: with a response
   * if none has begun, otherwise by breaking it off. The error is reported, unless it is a Problem in a response. Of
   * several errors only the first counts.
   */
  failed(error: unknown): void;
  /** Observes this request only; undefined for most requests. */
  observer: RequestObserver | undefined;
}

/** A request, and what an observer wants to know of its response. */
export interface ObservedRequest extends Request {
  /** Bytes of response content written so far, after content coding. */
  readonly bytes: number;
  /** HTTP/2: why wirebin has reset its stream, if it has. */
  readonly terminated?: TerminationReason | undefined;
  /** What the response does wrong, once it has begun. */
  readonly fault: Fault | undefined;
}

/** Observes single requests. The methods are called as those of an `ExchangeObserver`. */
export interface RequestObserver {
  responded(request: ObservedRequest, status: number | undefined): void;
  finished(request: ObservedRequest, isComplete: boolean): void;
}
