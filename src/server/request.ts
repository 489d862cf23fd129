import type { Readable } from 'node:stream';
import type { Connection } from '../net/connection.ts';
import type { FieldLines } from '../http/fields.ts';
import type { Target } from '../http/target.ts';

/** Bytes that may still be sent, by flow control (RFC 9113 6.9). */
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
  readonly requestNumber: number;
  /** HTTP/2 only. */
  readonly stream: StreamFacts | undefined;
  /** `performance.now()` when the header section was complete. */
  readonly receivedAt: number;
  /** Whether content follows the header section. */
  readonly hasBody: boolean;
  /** The trailer fields as sent (RFC 9110 6.5), once the content has been read; most have none. */
  readonly trailers: FieldLines;
  /** The content; see body.ts for what reads it. */
  readonly body: Readable;
  /** Sends 100 (Continue) if the client waits for it (RFC 9110 10.1.1). */
  sendContinueIfExpected(): void;
  /**
   * Asked whenever the time for a request to arrive is up: whether its content comes steadily enough
   * to be given as much time again. Set by what reads content that may take long.
   */
  isProgressing: (() => boolean) | undefined;
  /** Aborts when the client goes or resets the stream before the answer is through. */
  readonly signal: AbortSignal;
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
