import { isUtf8 } from 'node:buffer';
import { GrowingBuffer } from '../growing-buffer.ts';
import {
  applyMask,
  CloseCode,
  isCloseCode,
  MAX_CONTROL_LENGTH,
  Opcode,
  type WebSocketFrame,
} from './frame.ts';

/** A violation of RFC 6455, or of a limit. The connection ends with this code in a Close frame. */
export class WebSocketError extends Error {
  readonly code: number;

  constructor(code: number, reason: string) {
    super(reason);
    this.code = code;
  }
}

export interface FrameLimits {
  /** Whether the frames must be masked, as those of clients (RFC 6455 5.1). */
  readonly isMasked: boolean;
  /** Maximum bytes of a frame's content. */
  readonly maxFrame: number;
  /** Maximum bytes of a message's content. */
  readonly maxMessage: number;
  /**
   * Whether messages may be compressed (RFC 7692). The content of those is neither inflated nor validated, and may be
   * somewhat larger than the limits, as that of random bytes is. Default: false.
   */
  readonly mayCompress?: boolean;
}

interface Head {
  readonly isFinal: boolean;
  readonly isCompressed: boolean;
  readonly opcode: number;
  readonly length: number;
  readonly mask: Uint8Array | undefined;
}

interface Message {
  readonly isText: boolean;
  readonly isCompressed: boolean;
  /** Bytes of content announced by the frames so far. */
  length: number;
  /** Validates text that arrives in several pieces, because one may end within a character. */
  decoder?: InstanceType<typeof TextDecoder>;
}

/** Maximum bytes of a frame's head. */
const MAX_HEAD = 14;
/** The reserved bit of compressed messages (RFC 7692 6). */
const RSV1 = 0x40;

/** Maximum bytes of so many when compressed, a little above zlib's `deflateBound` for any of its parameters. */
const maxCompressed = (bytes: number): number => bytes + Math.ceil(bytes / 4) + 64;

/** Reads the frames of one side (RFC 6455 5), and validates them and the messages that they form. */
export class WebSocketReader {
  readonly #limits: FrameLimits;
  /** The head of the current frame, as far as it has arrived. Its mask is used from here. */
  readonly #partial = Buffer.alloc(MAX_HEAD);
  #partialLength = 0;
  #head: Head | undefined;
  /** Content of the current frame so far. */
  readonly #content: GrowingBuffer;
  /** Bytes of the current frame that are valid text. */
  #validated = 0;
  /** The message whose fragments are arriving; undefined between messages. */
  #message: Message | undefined;

  /** @param allocate called with a size in bytes before a buffer of it is allocated; may throw to refuse */
  constructor(limits: FrameLimits, allocate: (size: number) => void = () => undefined) {
    this.#limits = limits;
    this.#content = new GrowingBuffer(allocate);
  }

  /**
   * Reads the frames in a piece one by one. The caller must iterate to the end, or to an error.
   *
   * @throws WebSocketError, and what `allocate` throws
   */
  *read(piece: Buffer): Generator<WebSocketFrame, void, void> {
    for (let at = 0; at < piece.length;) {
      at += this.#head ? this.#readContent(piece, at) : this.#readHead(piece, at);
      if (this.#head?.length !== this.#content.length) continue;
      const { isFinal, opcode, isCompressed } = this.#head;
      const frame = { isFinal, opcode, isCompressed, content: this.#content.take() };
      this.#head = undefined;
      this.#check(frame);
      yield frame;
    }
  }

  /** Reads a frame's head. @returns the number of bytes that belong to it */
  #readHead(piece: Buffer, at: number): number {
    const before = this.#partialLength;
    const copied = piece.copy(this.#partial, before, at, at + MAX_HEAD - before);
    const available = this.#partial.subarray(0, before + copied);
    // Checked before the head is complete, so that an error is reported early.
    if (available.length >= 2) this.#checkStart(available);
    const size = headSize(available);
    if (size === undefined || size > available.length) {
      this.#partialLength = available.length;
      return copied;
    }
    this.#partialLength = 0;
    this.#head = this.#parseHead(available.subarray(0, size));
    return size - before;
  }

  /** Checks the head of a frame, except an extended length. */
  #checkStart([first = 0, second = 0]: Buffer): void {
    const opcode = first & 0x0f;
    const isFinal = (first & 0x80) !== 0;
    const isFirst = opcode === Opcode.text || opcode === Opcode.binary;
    const allowed = this.#limits.mayCompress && isFirst ? RSV1 : 0;
    if ((first & 0x70 & ~allowed) !== 0) throw violation('a reserved bit is set');
    if (((second & 0x80) !== 0) !== this.#limits.isMasked) {
      throw violation(this.#limits.isMasked ? 'a frame is not masked' : 'a frame is masked');
    }
    switch (opcode) {
      case Opcode.close:
      case Opcode.ping:
      case Opcode.pong:
        if (!isFinal) throw violation('a control frame is fragmented');
        if ((second & 0x7f) > MAX_CONTROL_LENGTH) throw violation('a control frame is too long');
        return;
      case Opcode.continuation:
        if (!this.#message) throw violation('a continuation frame without a message');
        return;
      case Opcode.text:
      case Opcode.binary:
        if (this.#message) throw violation('a message inside of another one');
        return;
      default:
        throw violation(`the opcode ${opcode} is reserved`);
    }
  }

  #parseHead(head: Buffer): Head {
    const [first = 0, second = 0] = head;
    const opcode = first & 0x0f;
    const length = contentLength(head);
    const isCompressed = (first & RSV1) !== 0;
    if (opcode < Opcode.close) {
      this.#message ??= { isText: opcode === Opcode.text, isCompressed, length: 0 };
      this.#checkLength(this.#message, length);
    }
    return {
      isFinal: (first & 0x80) !== 0,
      isCompressed,
      opcode,
      length,
      mask: (second & 0x80) === 0 ? undefined : head.subarray(-4),
    };
  }

  #checkLength(message: Message, length: number): void {
    const { maxFrame, maxMessage } = this.#limits;
    const bound = message.isCompressed ? maxCompressed : (max: number): number => max;
    if (length > bound(maxFrame)) throw tooBig('a frame', maxFrame);
    message.length += length;
    if (message.length > bound(maxMessage)) throw tooBig('a message', maxMessage);
  }

  /** Reads a frame's content. @returns the number of bytes that belong to it */
  #readContent(piece: Buffer, at: number): number {
    const { length = 0, mask, opcode = 0 } = this.#head ?? {};
    const before = this.#content.length;
    const size = Math.min(length - before, piece.length - at);
    const added = this.#content.append(piece, length, at, at + size);
    if (mask) applyMask(added, mask, before);
    const isPart = before + size < length && opcode < Opcode.close;
    if (isPart) {
      this.#validate(added, false);
      this.#validated = before + size;
    }
    return size;
  }

  #check({ isFinal, opcode, content }: WebSocketFrame): void {
    if (opcode === Opcode.close) checkClose(content);
    if (opcode >= Opcode.close) return;
    const rest = this.#validated === 0 ? content : content.subarray(this.#validated);
    this.#validated = 0;
    this.#validate(rest, isFinal);
    if (isFinal) this.#message = undefined;
  }

  /** Validates text as it arrives, so that an error is reported early. */
  #validate(added: Buffer, isFinal: boolean): void {
    const message = this.#message;
    if (!message?.isText || message.isCompressed || isValidText(message, added, isFinal)) return;
    throw new WebSocketError(CloseCode.invalidData, 'a text message is not UTF-8');
  }
}

/** Whether content is valid UTF-8, together with what came before it in the message. */
function isValidText(message: Message, content: Buffer, isFinal: boolean): boolean {
  if (isFinal && !message.decoder) return isUtf8(content);
  message.decoder ??= new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  try {
    message.decoder.decode(content, { stream: !isFinal });
    return true;
  } catch {
    return false;
  }
}

/** Bytes of a frame's head, with extended length and mask if it has them; undefined if that is not known yet. */
function headSize(bytes: Buffer): number | undefined {
  const [, second] = bytes;
  if (second === undefined) return undefined;
  const length = second & 0x7f;
  const extended = length < 126 ? 0 : length === 126 ? 2 : 8;
  return 2 + extended + ((second & 0x80) === 0 ? 0 : 4);
}

/** Length of the content, which must be encoded in as few bytes as possible, and be less than 2^63 (RFC 6455 5.2). */
function contentLength(head: Buffer): number {
  const short = (head[1] ?? 0) & 0x7f;
  if (short < 126) return short;
  const isLong = short === 127;
  const length = isLong ? Number(head.readBigUInt64BE(2)) : head.readUInt16BE(2);
  if (length < (isLong ? 0x10000 : 126)) throw violation('a length has more bytes than it needs');
  // Not by the number, which rounds 2^63 - 1 up.
  if (isLong && (head[2] ?? 0) >= 0x80) throw violation('a length is negative');
  return length;
}

/** Validates the content of a Close frame (RFC 6455 5.5.1). */
function checkClose(content: Buffer): void {
  if (content.length === 0) return;
  if (content.length === 1) throw violation('a Close frame has half of a code');
  const code = content.readUInt16BE();
  if (!isCloseCode(code)) throw violation(`a Close frame has the code ${code}`);
  if (!isUtf8(content.subarray(2))) {
    throw new WebSocketError(CloseCode.invalidData, 'the reason of a Close frame is not UTF-8');
  }
}

const violation = (reason: string): WebSocketError =>
  new WebSocketError(CloseCode.protocolError, reason);

export const tooBig = (what: string, limit: number): WebSocketError =>
  new WebSocketError(CloseCode.tooBig, `${what} has more than ${limit} bytes`);
