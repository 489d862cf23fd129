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

/** The error that Node's HTTP/1 parser emits for bytes that it refuses. */
export interface ParserError {
  /** Of llhttp, such as HPE_INVALID_METHOD. */
  readonly code?: string | undefined;
  /** In words; finer than the code. */
  readonly reason?: string | undefined;
  /** What was being parsed, and how many bytes of it were. */
  readonly rawPacket?: Buffer | undefined;
  readonly bytesParsed?: number | undefined;
}

/** @param isAboveLimit whether the stream was above SETTINGS_MAX_CONCURRENT_STREAMS as announced */
export type StreamRefusedListener = (stream: number, isAboveLimit: boolean) => void;

/** Reads the bytes of one connection beside Node, with --inspect. */
export interface ConnectionInspector {
  /** Call after bytes were passed to Node's HTTP/1 parser. */
  parsed(bytes: Buffer): void;
  /** Call when Node's HTTP/1 parser refuses a message. */
  parserStopped(error: ParserError): void;
  /**
   * The message that was refused before it became a request, as sent.
   *
   * @param stream HTTP/2: its stream
   * @returns undefined if it is not known
   */
  rejectedMessage(stream?: number): RejectedMessage | undefined;
  /** HTTP/2: called when RST_STREAM is sent for a stream that never became a request. */
  onStreamRefused: StreamRefusedListener | undefined;
  /** HTTP/2: why nghttp2 refuses the request of a stream, by our reading; undefined if nothing is wrong with it. */
  refusalReason(stream: number): string | undefined;
}
