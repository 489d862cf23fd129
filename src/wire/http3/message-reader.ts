import type { Role } from '../http2/frame.ts';
import type { Violation } from '../http2/violation.ts';
import { FrameReader, type FrameHandler, type PayloadUse } from './frame-reader.ts';
import { FrameType } from './names.ts';
import {
  endViolation,
  eventOf,
  frameViolation,
  isRefusal,
  phaseAfter,
  StreamEvent,
  StreamPhase,
} from './stream-phase.ts';
import { connectionError, streamError } from './violation.ts';

/** Receives a request or a response. */
export interface MessageSink {
  /** Called with the header of each frame, including unknown types, before its content. See `FrameHandler.onFrame`. */
  onFrame?(type: number | bigint, length: number): void;
  /**
   * Called with an encoded field section, which may be a view of the bytes that are read. If it is that of an interim response
   * or completes CONNECT, call `interim` or `connected` of the reader before it reads on.
   */
  onSection(section: Buffer, isTrailers: boolean): void;
  /** Called with the content of DATA, in pieces as they arrive. */
  onContent(bytes: Buffer, start: number, end: number): void;
  /** Called at the end of the stream if the order of frames allows it. */
  onEnd(): void;
  /** Called once if the stream breaks a rule. No other call follows. */
  onViolation(violation: Violation): void;
}

/** Reads the frames of one direction of a request stream (RFC 9114 4.1). */
export class MessageReader implements FrameHandler {
  readonly #sink: MessageSink;
  readonly #from: Role;
  readonly #maxSection: number;
  readonly #frames: FrameReader;
  #phase: StreamPhase = StreamPhase.head;

  /** @param from role of the peer @param maxSection maximum encoded bytes of a field section */
  constructor(sink: MessageSink, from: Role, maxSection: number) {
    this.#sink = sink;
    this.#from = from;
    this.#maxSection = maxSection;
    this.#frames = new FrameReader(this);
  }

  get phase(): StreamPhase {
    return this.#phase;
  }

  /** Bytes that are kept of an incomplete frame. */
  get bytesKept(): number {
    return this.#frames.bytesKept;
  }

  /** @returns bytes read: all, unless `pause` was called or reading has ended */
  read(bytes: Buffer): number {
    return this.#frames.read(bytes);
  }

  /** Ends the present `read` early, for example if a section is blocked (RFC 9204 2.2.1). Called by the sink. */
  pause(): void {
    this.#frames.pause();
  }

  /** Ends reading for good. */
  stop(): void {
    this.#frames.stop();
  }

  /** Call if the section is that of an interim response: another header section follows. */
  interim(): void {
    this.#enter(StreamEvent.interim);
  }

  /** Call when CONNECT has completed: only DATA may follow (RFC 9114 4.4). */
  connected(): void {
    this.#enter(StreamEvent.connected);
  }

  /** Call at the end of the stream, which must have been read completely. */
  end(): void {
    if (this.#frames.isWithinFrame) {
      const reason = 'the stream ends within a frame';
      this.#fail(connectionError('RFC 9114 7.1', reason, 'H3_FRAME_ERROR'));
      return;
    }
    const next = phaseAfter(this.#phase, StreamEvent.end);
    if (isRefusal(next)) {
      this.#fail(endViolation(next, this.#from));
      return;
    }
    this.#phase = next;
    this.#sink.onEnd();
  }

  onFrame(type: number | bigint, length: number): PayloadUse | undefined {
    const phase = this.#phase;
    const next = phaseAfter(phase, eventOf(type, this.#from));
    if (isRefusal(next)) return this.#fail(frameViolation(next, phase, type));
    this.#sink.onFrame?.(type, length);
    this.#phase = next;
    if (type === FrameType.data) return 'pieces';
    if (type !== FrameType.headers) return 'ignored';
    if (length <= this.#maxSection) return 'whole';
    const reason = `a field section of ${length} bytes, above the limit of ${this.#maxSection}`;
    return this.#fail(streamError('RFC 9114 4.2.2', reason, 'H3_EXCESSIVE_LOAD'));
  }

  onPiece(bytes: Buffer, start: number, end: number): void {
    this.#sink.onContent(bytes, start, end);
  }

  onPayload(section: Buffer): void {
    this.#sink.onSection(section, this.#phase === StreamPhase.trailers);
  }

  #enter(event: StreamEvent): void {
    const next = phaseAfter(this.#phase, event);
    if (!isRefusal(next)) this.#phase = next;
  }

  #fail(violation: Violation): undefined {
    this.#frames.stop();
    this.#phase = StreamPhase.ended;
    this.#sink.onViolation(violation);
  }
}
