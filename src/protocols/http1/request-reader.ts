import { Problem } from '../../http/problem.ts';
import type { FieldLines } from '../../http/fields.ts';
import { excerptOf, type RejectedMessage } from '../../net/rejected-message.ts';
import { chunkLineViolation } from '../../wire/http1/chunk-line.ts';
import { parseFieldLines, Violation } from '../../wire/http1/field-lines.ts';
import type { Framing } from '../../wire/http1/framing.ts';
import {
  MessageReader,
  type ChunkLine,
  type MessageSink,
  type ReaderStop,
} from '../../wire/http1/message-reader.ts';
import { plainContent, type PlainChunks } from '../../wire/http1/plain-chunks.ts';
import {
  checkRequestStart,
  parseRequest,
  type RequestHead,
} from '../../wire/http1/request-head.ts';
import type { LineEnd } from '../../wire/http1/section.ts';
import type { RawText } from '../../wire/http1/text-buffer.ts';
import type { RequestTap } from '../../net/inspector.ts';
import { Content } from './content.ts';

/** Maximum bytes of chunk extensions in a message. */
const MAX_EXTENSIONS = 16 * 1024;
/**
 * Maximum bytes of an incomplete head that are checked as they arrive, so that a client that speaks another protocol
 * learns it immediately. Checking more would take time with each piece.
 */
const MAX_CHECKED = 4096;

/** Receives the requests that a client sends. */
export interface RequestListener {
  /** Called when the head of a request is complete. */
  requestReceived(head: RequestHead, content: Content | undefined): void;
  /** Called with the trailers of a request, before its content is complete. @returns those that are kept */
  trailersReceived(trailers: FieldLines): FieldLines;
  /** Called when bytes are not a valid message. No request follows. */
  refused(problem: Problem, message: RejectedMessage): void;
  /** Called with true when too much content is unread, to stop its arrival, and with false when it may arrive again. */
  holdContent(isHeld: boolean): void;
}

/**
 * Reads the requests of a connection. Strict, because a proxy in front may interpret any deviation from RFC 9112 in
 * another way. test/fuzz/http1-differences.ts lists what other parsers accept.
 */
export class RequestReader implements MessageSink {
  /** When the arriving message began or, for the first one, the connection; from performance.now(). */
  since: number;
  readonly #listener: RequestListener;
  readonly #tap: RequestTap | undefined;
  readonly #maxHeaderSize: number;
  readonly #reader: MessageReader;
  readonly #hold = (isHeld: boolean): void => this.#listener.holdContent(isHeld);
  /** The content of the newest request, while it arrives. */
  #content: Content | undefined;
  #trailers: FieldLines = NO_TRAILERS;
  #extensions = 0;
  /** Offset of the first unchecked line of an incomplete head; undefined if no more of the head is checked. */
  #checked: number | undefined = 0;
  /** Why the bytes were refused. */
  #problem: Problem | undefined;
  /** The head in which bytes were refused. Other heads are not kept. */
  #head = '';
  /** Whether no message is complete yet. The time limit of the first one begins with the connection. */
  #isFirst = true;
  #isUpgrade = false;
  #time = 0;

  /**
   * @param now from performance.now()
   * @param maxHeaderSize maximum bytes of a head, and of a trailer section
   * @param tap also receives what is read
   */
  constructor(
    listener: RequestListener,
    now: number,
    maxHeaderSize: number,
    tap: RequestTap | undefined,
  ) {
    this.#listener = listener;
    this.since = now;
    this.#maxHeaderSize = maxHeaderSize;
    this.#tap = tap;
    this.#reader = new MessageReader(this, { section: maxHeaderSize, skipsEmptyLines: true });
    tap?.readBy(this.#reader);
  }

  /** Whether a message has begun and is not complete. */
  get isReceiving(): boolean {
    return this.#reader.state !== 'between' && !this.isStopped;
  }

  /** Whether no further request is read: after an invalid message, and when another protocol may follow. */
  get isStopped(): boolean {
    return this.#reader.state === 'stopped';
  }

  /** Whether the bytes after the last request may belong to another protocol (RFC 9110 7.8). */
  get isUpgrade(): boolean {
    return this.#isUpgrade;
  }

  /**
   * Reads from an offset to the end of a message or of the piece.
   *
   * @param time when the piece arrived, from performance.now()
   * @returns offset of that end
   */
  read(piece: Buffer, at: number, time: number): number {
    this.#time = time;
    this.#tap?.beginPiece(time);
    const end = this.#reader.read(piece, at);
    this.#checkIncomplete(piece.length);
    if (end === piece.length) this.#tap?.endPiece(end);
    return end;
  }

  /** Skips the rest of a piece, because no further request is read. Parameters and result are those of `read`. */
  skip(piece: Buffer, at: number, time: number): number {
    this.#tap?.beginPiece(time);
    if (!this.isStopped) {
      this.#reader.stop();
      this.#tap?.onStop({ kind: 'unserved', at, byte: at, reason: undefined, text: '', length: 0 });
    }
    this.#tap?.onRest(piece, at);
    this.#tap?.endPiece(piece.length);
    return piece.length;
  }

  get countsChunks(): boolean {
    return this.#tap?.countsChunks ?? true;
  }

  onStart(at: number): void {
    this.#checked = 0;
    if (!this.#isFirst) this.since = this.#time;
    this.#tap?.onStart(at);
  }

  onHead(head: RawText, end: number): Framing {
    const parsed = head.length > head.text.length ? this.#tooLarge(head) : parseRequest(head.text);
    if (parsed instanceof Violation) {
      this.#head = head.text;
      this.#tap?.onFramedHead(head, { content: 'unknown', reason: parsed.problem.message });
      return this.#refuse(parsed, end - head.length, end);
    }
    const { framing } = parsed;
    this.#tap?.onFramedHead(head, framing);
    if (framing.content === 'none' || (framing.content === 'length' && framing.length === 0)) {
      this.#listener.requestReceived(parsed, undefined);
      return framing;
    }
    this.#trailers = NO_TRAILERS;
    this.#extensions = 0;
    this.#content = new Content(this.#hold);
    this.#listener.requestReceived(parsed, this.#content);
    return framing;
  }

  onContent(piece: Buffer, start: number, end: number): void {
    this.#tap?.onContent(piece, start, end);
    this.#content?.add(start === 0 && end === piece.length ? piece : piece.subarray(start, end));
  }

  onChunks(chunks: PlainChunks): void {
    this.#tap?.onChunks(chunks);
    this.#content?.add(plainContent(chunks));
  }

  chunkLineViolation(text: string): number | undefined {
    return text.length > MAX_EXTENSIONS ? undefined : chunkLineViolation(text);
  }

  onChunk(chunk: ChunkLine): void {
    this.#tap?.onChunk(chunk);
    const { line, digits, start } = chunk;
    this.#extensions += line.length - digits - CRLF_LENGTH;
    if (this.#extensions > MAX_EXTENSIONS) {
      this.#refuse(new Violation(0, tooManyExtensions()), start, start + line.length);
    }
  }

  onChunkEnd(end: LineEnd, at: number): void {
    this.#tap?.onChunkEnd(end, at);
    const bareLf = 'a bare LF follows the data of a chunk';
    if (end === 'lf') this.#refuse(new Violation(0, invalid(bareLf)), at, at + 1);
  }

  onTrailers(section: RawText, end: number): void {
    this.#tap?.onTrailers(section, end);
    const fields: string[] = [];
    const start = end - section.length;
    const isTooLarge = section.length > section.text.length;
    const parsed = isTooLarge
      ? new Violation(0, new Problem('fields-too-large', 'the trailer section exceeds the limit'))
      : parseFieldLines(section.text, 0, fields);
    if (parsed instanceof Violation) {
      this.#refuse(parsed, start, end);
      return;
    }
    if (fields.some((name, at) => at % 2 === 0 && FRAMING_NAME.test(name))) {
      const problem = invalid('a trailer field is not allowed to change the framing');
      this.#refuse(new Violation(0, problem), start, end);
    } else if (fields.length > 0) this.#trailers = this.#listener.trailersReceived(fields);
  }

  onEnd(end: number): void {
    this.#tap?.onEnd(end);
    this.#isFirst = false;
    this.#content?.finish(this.#trailers);
    this.#content = undefined;
  }

  onStop(stop: ReaderStop): void {
    this.#tap?.onStop(stop);
    this.#isUpgrade = stop.kind === 'upgrade';
    if (stop.kind !== 'confused') return;
    const problem = this.#problem ?? problemOf(stop);
    this.#listener.refused(problem, { text: excerptOf(this.#head, this.#tap !== undefined) });
  }

  /** Refuses an incomplete message, because the rest will not arrive or has not arrived in time. */
  refuseIncomplete(problem: Problem): void {
    const { text, length } = this.#reader.incomplete;
    if (!this.#content) this.#head = text;
    this.#refuse(new Violation(length, problem), -length, 0);
  }

  /** Checks the part that has arrived of a section or line that did not end in the piece. */
  #checkIncomplete(pieceLength: number): void {
    const { state, incomplete } = this.#reader;
    const { length } = incomplete;
    const start = pieceLength - length;
    if (state === 'head') this.#checkHead(incomplete, start);
    else if (state === 'trailers' && length > this.#maxHeaderSize) {
      const problem = new Problem('fields-too-large', 'the trailer section exceeds the limit');
      this.#refuse(new Violation(0, problem), start, pieceLength);
    } else if (state === 'chunk-size' && length > MAX_EXTENSIONS) {
      this.#refuse(new Violation(0, tooManyExtensions()), start, pieceLength);
    }
  }

  #checkHead(incomplete: RawText, start: number): void {
    const { text, length } = incomplete;
    let checked: number | Violation | undefined;
    if (length > this.#maxHeaderSize) checked = this.#tooLarge(incomplete);
    else if (this.#checked !== undefined) {
      checked = checkRequestStart(text.slice(0, MAX_CHECKED), this.#checked);
    }
    if (checked instanceof Violation) {
      this.#head = text;
      this.#refuse(checked, start, start + length);
    } else this.#checked = length > MAX_CHECKED ? undefined : checked;
  }

  /**
   * @param start offset in the piece of the text that contains the violation
   * @param end offset in the piece after what has been read
   */
  #refuse({ at, problem }: Violation, start: number, end: number): Framing {
    this.#problem = problem;
    this.#reader.refuse(start + at, end, problem.message);
    return REFUSED;
  }

  #tooLarge({ text }: RawText): Violation {
    const isInTarget = !text.trimStart().includes('\n');
    return new Violation(
      this.#maxHeaderSize,
      isInTarget
        ? new Problem('target-too-long', 'the target exceeds the limit of the header section')
        : new Problem('fields-too-large', 'the header section exceeds the limit'),
    );
  }
}

const NO_TRAILERS: FieldLines = [];
const CRLF_LENGTH = 2;
const FRAMING_NAME = /^(?:content-length|transfer-encoding)$/i;
const REFUSED: Framing = { content: 'unknown', reason: 'wirebin has refused the message' };

function invalid(detail: string): Problem {
  return new Problem('invalid-message', detail);
}

/** The problem with a message whose end cannot be found. */
function problemOf({ reason, length }: ReaderStop): Problem {
  if (length > MAX_EXTENSIONS) return tooManyExtensions();
  return invalid(reason ?? 'the end of the message cannot be found');
}

function tooManyExtensions(): Problem {
  return new Problem('content-too-large', 'the chunk extensions exceed the limit');
}
