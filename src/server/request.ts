import type { Readable } from 'node:stream';
import type { CapturedPreface } from '../net/client-preface.ts';
import type { Connection } from '../net/connection.ts';
import type { Problem } from '../http/problem.ts';
import type { TerminationReason } from '../net/close-reason.ts';
import type { FieldLines } from '../http/fields.ts';
import type { Target } from '../http/target.ts';
import type { NamedFault } from './fault.ts';

/** Flow-control windows in bytes (RFC 9113 6.9). */
export interface Windows {
  readonly connection: { readonly toClient: number; readonly toServer: number };
  /** For the direction to the client, Node provides only the initial window of a stream. */
  readonly stream: { readonly initialToClient: number; readonly toServer: number };
}

/** SETTINGS parameters that a request can have wirebin send (RFC 9113 6.5.2, RFC 8441 3). */
export type Http2SettingName =
  | 'header_table_size'
  | 'max_concurrent_streams'
  | 'initial_window_size'
  | 'max_frame_size'
  | 'max_header_list_size'
  | 'enable_connect_protocol';

/** What a request can do with its HTTP/2 connection. */
export interface SessionControl {
  /** Maximum SETTINGS_INITIAL_WINDOW_SIZE in bytes. A stream that is not read takes as much memory. */
  readonly maxWindow: number;
  /** Settings of wirebin that the client has acknowledged; undefined if the session has ended. */
  readonly acknowledgedSettings: Readonly<Record<Http2SettingName, number>> | undefined;
  /**
   * Sends SETTINGS.
   *
   * @param limit in milliseconds
   * @returns milliseconds until the acknowledgement; undefined if there is none within the limit
   * @throws Problem overloaded if too many SETTINGS are unacknowledged
   */
  sendSettings(
    settings: ReadonlyMap<Http2SettingName, number>,
    limit: number,
  ): Promise<number | undefined>;
  /** Sends PING. @returns milliseconds until the acknowledgement; undefined after `limit` milliseconds */
  ping(limit: number): Promise<number | undefined>;
}

/** How the client began its HTTP/2 connection. */
export interface ClientStart {
  /** The first frames of the client; undefined if none were captured. */
  readonly frames: CapturedPreface | undefined;
  /** wirebin's connection-level send window in bytes when the first request arrived. */
  readonly sendWindow: number | undefined;
}

/** The HTTP/2 stream of a request. */
export interface StreamFacts {
  /** Stream identifier (RFC 9113 5.1.1). */
  readonly id: number;
  /** Number of open streams when this one began, including it. */
  readonly open: number;
  /** Error code that either side sent (RFC 9113 7); 0 if there was none, and until the stream closes. */
  readonly errorCode: number;
  readonly session: SessionControl;
  readonly opening: ClientStart;
  /** The current windows; undefined if the session has ended. */
  windows(): Windows | undefined;
}

/** The state of a gRPC call. */
export interface CallState {
  /** The status code; undefined until the call has ended. */
  status: number | undefined;
}

/** A request as received, on any protocol. */
export interface Request {
  /** Whether it has ended: by the response, a fault, or because the client has disconnected. */
  readonly isFinished: boolean;
  /** Adds a function to call at the end, after those added before; at once if it is finished. */
  whenFinished(call: () => void): void;
  readonly method: string;
  /** Protocol version as in the request line, or `HTTP/2.0`. */
  readonly version: string;
  /** The target as sent; `target` is the parsed form. */
  readonly rawTarget: string;
  /** The parsed target; undefined if it has no form of RFC 9112 3.2. */
  readonly target: Target | undefined;
  /** Field lines, including HTTP/2 pseudo-header fields. */
  readonly fields: FieldLines;
  /**
   * Something that requests of a connection share whose header sections are the same and that have no content; undefined
   * for the first of them, and if that is not known.
   */
  readonly repeatedSection?: object | undefined;
  /** HTTP/1.x: the head as sent, in Latin-1, with the empty lines before it. */
  readonly head?: string | undefined;
  readonly connection: Connection;
  /** Number on its connection, from 1. */
  readonly requestNumber: number;
  /** HTTP/2 only. */
  readonly stream: StreamFacts | undefined;
  /** `performance.now()` when the header section was complete. */
  readonly receivedAt: number;
  /** Set by dispatch if the request is a gRPC call. */
  call: CallState | undefined;
  /**
   * Counts memory that a handler holds until the request is finished. Set by dispatch for gRPC calls, and for endpoints
   * that declare `reserves`. @throws Problem overloaded
   */
  reserve: ((bytes: number) => void) | undefined;
  /** Whether content follows the header section. */
  readonly hasBody: boolean;
  /** Whether the end of the request has been received. On HTTP/2, valid until the stream closes. */
  readonly isReceived: boolean;
  /** HTTP/1.x: why the content will never be complete: its end cannot be found. */
  readonly contentProblem?: Problem | undefined;
  /** The trailers as sent (RFC 9110 6.5), available once the content has been read. */
  readonly trailers: FieldLines;
  /** The content. body.ts has functions to read it. */
  readonly body: Readable;
  /**
   * Sends an interim response (RFC 9110 15.2), unless the client uses HTTP/1.0 or the final response has begun.
   *
   * @param status 100 to 199, except 101
   * @returns whether it was sent
   */
  sendInformation(status: number, fields?: readonly string[]): boolean;
  /**
   * Calls a function that sends a large header section. Waits until earlier responses of the connection have been
   * written and the time budget of the event loop iteration allows it, or until the client has disconnected. If the
   * function throws, the request fails.
   */
  sendLarge(send: () => void): void;
  /** Sends 100 (Continue) if the client expects it (RFC 9110 10.1.1). */
  sendContinueIfExpected(): void;
  /**
   * Ends the request together with the response. Without this, content that arrives later is read and discarded.
   *
   * @param how close: closes the connection gracefully once open requests are complete; stop: resets the stream with
   * NO_ERROR (RFC 9113 8.1)
   * @throws Problem fault-unavailable if the protocol has no streams
   */
  endWithResponse(how: 'close' | 'stop'): void;
  /**
   * Called when the request timeout expires. Set by readers of long content.
   *
   * @returns true if enough content has arrived to renew the timeout
   */
  isProgressing: (() => boolean) | undefined;
  /** Aborts when the response is complete, the client disconnects, or the client resets the stream. */
  readonly signal: AbortSignal;
  /**
   * Ends the request because of an error that its handler cannot throw, such as in a callback: with a response if none
   * has begun, otherwise by cutting it off. The error is reported, unless it is a Problem that was sent. Only the first
   * error counts.
   */
  failed(error: unknown): void;
  /** Observer of this request only; undefined for most requests. */
  observer: RequestObserver | undefined;
}

/** A request, with what observers need to know about its response. */
export interface ObservedRequest extends Request {
  /** Bytes of response content written so far, after content coding. */
  readonly bytes: number;
  /** HTTP/2: why wirebin has reset the stream; undefined if it has not. */
  readonly terminated?: TerminationReason | undefined;
  /** The fault of the response, after it has begun. */
  readonly fault: NamedFault | undefined;
}

/** Observes single requests. Its methods are called like those of an `ExchangeObserver`. */
export interface RequestObserver {
  responded(request: ObservedRequest, status: number | undefined): void;
  finished(request: ObservedRequest, isComplete: boolean): void;
}
