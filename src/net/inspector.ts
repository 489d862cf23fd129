import type { RejectedMessage } from './rejected-message.ts';

/** Observes the bytes of a stream in both directions, in order. Must neither throw nor modify the bytes. */
export interface ByteObserver {
  received(bytes: Buffer): void;
  /** The client's FIN or, over TLS, its close_notify. */
  receivedEnd(): void;
  /** The bytes are handed to the system, or to TLS. */
  sent(bytes: Buffer): void;
  /** FIN or, over TLS, close_notify is sent. */
  sentEnd(): void;
}

/** Reads the bytes of one connection beside Node, with --inspect. */
export interface ConnectionInspector {
  /** Call after bytes were passed to Node's HTTP/1 parser. */
  parsed(bytes: number): void;
  /**
   * Call when Node's HTTP/1 parser refuses a message.
   *
   * @param offset in the bytes that are being parsed
   * @param code of llhttp, such as HPE_INVALID_METHOD
   */
  parserStopped(offset: number, code: string): void;
  /**
   * The message that was refused before it became a request, as sent.
   *
   * @param stream HTTP/2: its stream
   * @returns undefined if it is not known
   */
  rejectedMessage(stream?: number): RejectedMessage | undefined;
  /**
   * The request as sent, for the echo.
   *
   * @param request its number on the connection, from 1
   * @param stream HTTP/2: its stream
   * @returns undefined if it is not known
   */
  requestView(request: number, stream?: number): Readonly<Record<string, unknown>> | undefined;
}
