import type { Framing } from '../wire/http1/framing.ts';
import type { MessageReader, MessageSink } from '../wire/http1/message-reader.ts';
import type { RawText } from '../wire/http1/text-buffer.ts';
import type { ServerFlight } from '../wire/tls/server-flight.ts';
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

/** Receives what an HTTP/1.x connection reads, as `MessageSink` does, with the framing of each request. */
export interface RequestTap extends Omit<Required<MessageSink>, 'onHead' | 'chunkLineViolation'> {
  /** Call before anything is read. @param source gives access to the incomplete part of a message */
  readBy(source: Pick<MessageReader, 'state' | 'incomplete'>): void;
  /** Call before each part of a piece is read. @param time when the piece arrived, from performance.now() */
  beginPiece(time: number): void;
  /** Call when a whole piece of `length` bytes has been read. */
  endPiece(length: number): void;
  onFramedHead(head: RawText, framing: Framing): void;
  /** Called with a piece that is not read from offset `at` on, because no further request is served. */
  onRest(piece: Buffer, at: number): void;
}

/** @param isAboveLimit true if the stream exceeded the announced SETTINGS_MAX_CONCURRENT_STREAMS */
export type StreamRefusedListener = (stream: number, isAboveLimit: boolean) => void;

/** Shows what one connection receives and sends, with --inspect. */
export interface ConnectionInspector {
  /** HTTP/1.x: receives what the connection reads. Set when the protocol is detected. */
  readonly requestTap: RequestTap | undefined;
  /** TLS: what wirebin has sent of the handshake; undefined before its first message. */
  serverFlight(): ServerFlight | undefined;
  /**
   * HTTP/2: a message, as sent, that was refused before it became a request.
   *
   * @param stream id of its stream
   * @returns undefined if the message is not known
   */
  rejectedMessage(stream: number): RejectedMessage | undefined;
  /**
   * HTTP/2: the frame that caused the connection to end, with the request of its stream.
   *
   * @param reason of the violation, if it is known
   * @returns undefined if the frame is not known
   */
  rejectedFrame(reason?: string): RejectedMessage | undefined;
  /** HTTP/2: sets what is called when RST_STREAM is sent for a stream that never became a request. */
  onStreamRefused(listener: StreamRefusedListener): void;
  /** HTTP/2: why nghttp2 is expected to refuse the request of a stream; undefined if it is valid. */
  refusalReason(stream: number): string | undefined;
}
