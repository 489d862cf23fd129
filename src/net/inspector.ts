import type { RejectedMessage } from './rejected-message.ts';

/** Observes the bytes of a stream in both directions, in order. Must neither throw nor modify the bytes. */
export interface ByteObserver {
  received(bytes: Buffer): void;
  /** Called at the client's FIN or, over TLS, its close_notify. */
  receivedEnd(): void;
  /** Called when bytes are handed to the system, or to TLS. */
  sent(bytes: Buffer): void;
  /** Called when FIN or, over TLS, close_notify is sent. */
  sentEnd(): void;
}

/** The error that Node's HTTP/1 parser emits for bytes that it refuses. */
export interface ParserError {
  /** Code of llhttp, such as HPE_INVALID_METHOD. */
  readonly code?: string | undefined;
  /** The error in words, more precise than the code. */
  readonly reason?: string | undefined;
  /** The bytes being parsed, and below, how many of them were parsed. */
  readonly rawPacket?: Buffer | undefined;
  readonly bytesParsed?: number | undefined;
}

/** @param isAboveLimit whether the stream exceeded SETTINGS_MAX_CONCURRENT_STREAMS as announced */
export type StreamRefusedListener = (stream: number, isAboveLimit: boolean) => void;

/** Reads the bytes of one connection independently of Node, with --inspect. */
export interface ConnectionInspector {
  /** Call after Node's HTTP/1 parser has parsed bytes. */
  parsed(bytes: Buffer): void;
  /** Call when Node's HTTP/1 parser has refused a message. */
  parserStopped(error: ParserError): void;
  /**
   * The message, as sent, that was refused before it became a request.
   *
   * @param stream HTTP/2: id of its stream
   * @returns undefined if it is not known
   */
  rejectedMessage(stream?: number): RejectedMessage | undefined;
  /**
   * HTTP/1: the head of a request as sent, with the empty lines before it.
   *
   * @param request its number on the connection, from 1
   * @returns undefined if it is not kept as a whole
   */
  requestHead(request: number): Buffer | undefined;
  /** HTTP/2: called when RST_STREAM is sent for a stream that never became a request. */
  onStreamRefused: StreamRefusedListener | undefined;
  /** HTTP/2: why nghttp2 is expected to refuse the request of a stream; undefined if it is valid. */
  refusalReason(stream: number): string | undefined;
}
