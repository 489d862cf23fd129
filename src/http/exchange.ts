import type { Readable } from 'node:stream';
import type { Connection } from '../wire/connection.ts';
import type { ConnectionObserver } from '../wire/observer.ts';
import type { Endpoint } from './endpoint.ts';
import type { FieldLines } from './fields.ts';
import type { Payload } from './payload.ts';
import type { Target } from './target.ts';

/** Octets that may still be sent, by flow control (RFC 9113 6.9). */
export interface Windows {
  readonly connection: {
    readonly toClient?: number | undefined;
    readonly toServer?: number | undefined;
  };
  /** To the client Node tells only what a stream begins with. */
  readonly stream: {
    readonly initialToClient?: number | undefined;
    readonly toServer?: number | undefined;
  };
}

/** The HTTP/2 stream of a request. */
export interface StreamFacts {
  /** Its identifier (RFC 9113 5.1.1). */
  readonly id: number;
  /** How many streams were open with it. */
  readonly open: number;
  /** Why it was closed (RFC 9113 7), by whichever side; 0 is no error, or that it is not closed. */
  readonly errorCode: number;
  /** The windows as they are now; undefined where the session has ended. */
  windows(): Windows | undefined;
}

/** One request as it came, whichever protocol brought it. */
export interface Request {
  readonly method: string;
  /** As the request line had it, or `HTTP/2.0`. */
  readonly version: string;
  /** The target as sent; `target` has it taken apart. */
  readonly rawTarget: string;
  /** undefined where the target fits none of RFC 9112's forms. */
  readonly target: Target | undefined;
  /** HTTP/2's pseudo-header fields included. */
  readonly fields: FieldLines;
  readonly connection: Connection;
  /** 1 for the connection's first request. */
  readonly ordinal: number;
  /** HTTP/2 only. */
  readonly stream: StreamFacts | undefined;
  /** `performance.now()` when the header section was complete. */
  readonly receivedAt: number;
  /** Whether content follows the header section. */
  readonly hasContent: boolean;
  /** The trailer fields as sent (RFC 9110 6.5), once the content has been read; most have none. */
  readonly trailers: FieldLines;
  /** The content; see body.ts for what reads it. */
  readonly incoming: Readable;
  /** Sends 100 (Continue) if the client waits for it (RFC 9110 10.1.1). */
  invite(): void;
  /**
   * Asked whenever the time for a request to arrive is up: whether its content comes steadily enough
   * to be given as much time again. Set by what reads content that may take long.
   */
  isSteady: (() => boolean) | undefined;
  /** Aborts when the client goes or resets the stream before the answer is through. */
  readonly gone: AbortSignal;
}

/** A request and the way to answer it: what an adapter hands to dispatch, and all it knows. */
export interface Exchange extends Request {
  /** Dispatch takes the choice of a dialect out of its parameters. */
  target: Target | undefined;
  /** Noted by dispatch; undefined where none has the path. */
  endpoint: Endpoint | undefined;
  /** Of the answer, once it has been given. */
  readonly status: number | undefined;
  /** Octets of the answer's content handed over so far, codings of the content included. */
  readonly octets: number;
  /** `performance.now()` when the answer was given, or soon after, where somebody wanted to know; else 0. */
  answeredAt: number;
  /** Called once the answer is through or the client has gone. */
  onOver: (() => void) | undefined;
  /** Sends 100 (Continue) all the same, where the protocol has such a thing (RFC 9110 15.2). */
  encourage(): void;
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

/** How a request came: the connection's protocol, on HTTP/1.x with the version of its request line. */
export function protocolOf({ connection, version }: Request): string | undefined {
  const { protocol } = connection;
  if (version === 'HTTP/1.1') return protocol;
  switch (protocol) {
    case 'http/1.1':
    case 'https/1.1':
      return `${protocol === 'https/1.1' ? 'https' : 'http'}/${version.slice('HTTP/'.length)}`;
    case 'h2':
    case 'h2c':
    case undefined:
      return protocol;
  }
}

/** Who is told what becomes of connections and the requests on them. */
export interface ExchangeObserver extends ConnectionObserver {
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
export function isAnswerLate(exchange: Exchange, now: number, limit: number): boolean {
  if (exchange.status === undefined) return false;
  exchange.answeredAt ||= now;
  return now - exchange.answeredAt >= limit;
}
