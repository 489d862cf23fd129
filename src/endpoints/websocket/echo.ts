import { isUtf8 } from 'node:buffer';
import {
  CloseCode,
  closeContent,
  encodeFrame,
  Opcode,
  type WebSocketFrame,
} from '../../wire/websocket/frame.ts';
import { GrowingBuffer } from '../../wire/growing-buffer.ts';
import { WebSocketReader, WebSocketError } from '../../wire/websocket/frame-reader.ts';
import type { DeflateParameters } from '../../http/websocket.ts';
import { Problem } from '../../http/problem.ts';
import { guarded } from '../../server/failure.ts';
import { pause } from '../../server/pause.ts';
import { LARGE_CONTENT } from '../../server/request-cost.ts';
import { turns } from '../../net/scheduler.ts';
import type { Upgraded, UpgradeChannel } from '../../server/upgrade.ts';
import { PerMessageDeflate } from './deflate.ts';
import type { FaultTarget, WebSocketFault } from './faults.ts';

export interface EchoOptions {
  /** Maximum sizes, as in `FrameLimits`. */
  readonly maxFrame: number;
  readonly maxMessage: number;
  /** Milliseconds without received bytes after which the connection is closed. */
  readonly idleTimeout: number;
  /** undefined without permessage-deflate. */
  readonly deflate?: DeflateParameters | undefined;
  /** Whether compressed messages end with a final block. Default: false. */
  readonly finalBlock?: boolean;
  /** Whether each data frame is sent as two, with a Ping between them. Default: false. */
  readonly split?: boolean;
  /** Text of a first message. */
  readonly hello?: string | undefined;
  /** Waited before each message is sent back. Default: 0. */
  readonly delay?: { readonly seconds: number; readonly signal: AbortSignal };
  /** Seconds between Pings; undefined for none. */
  readonly ping?: number | undefined;
  readonly fault?: WebSocketFault | undefined;
  readonly dialect?: EchoDialect;
}

/** How the echo of a dialect differs. */
export interface EchoDialect {
  /** The frames that reply to a message. It is not compressed, and has all of its content. */
  readonly reply: (message: WebSocketFrame) => readonly WebSocketFrame[];
  /** The content of a reply to Close. Default: what the Close has, as is typical (RFC 6455 5.5.1). */
  readonly closeContent?: Buffer;
  /** Returns the close reason for an error. Default: the error's message. */
  readonly reasonOf?: (error: WebSocketError) => string;
}

const SECOND = 1000;

/** Number of copies of a frame in memory: the received one, and the one that is queued for sending. */
const COPIES = 2;
/** The same for a message that is collected from its frames, or inflated and compressed again. */
const COPIES_OF_MESSAGE = 4;
/** Maximum number of frames handled without a break. A client may send ten thousand in one piece. */
const FRAMES_AT_ONCE = 100;

/** The data message that is arriving. */
interface Message {
  readonly opcode: number;
  readonly isCompressed: boolean;
}

/** Echoes the frames of a WebSocket one by one, so that fragmented messages keep their fragments (RFC 6455 5.4). */
export class WebSocketEcho implements Upgraded, FaultTarget {
  readonly #channel: UpgradeChannel;
  readonly #options: EchoOptions;
  readonly #reader: WebSocketReader;
  readonly #deflate: PerMessageDeflate | undefined;
  readonly #timer: NodeJS.Timeout;
  readonly #pingTimer: NodeJS.Timeout | undefined;
  /** Number of Pings that were sent. */
  #pings = 0;
  readonly #readInTurn: () => void;
  /** Received frames that are not handled yet. */
  #unread: Iterator<WebSocketFrame, void> | undefined;
  /** Undefined for messages whose frames come back at once, too. */
  #message: Message | undefined;
  /** The content of the message so far, if the dialect replies to whole ones. */
  readonly #content: GrowingBuffer;
  /** Number of messages that were sent back. */
  #messages = 0;
  /** Whether frames that are not compressed come back at once, and are not counted. */
  readonly #isPlain: boolean;
  #mask: Uint8Array | undefined;
  #answersPings = true;
  #isStalled = false;
  #isWritable = true;
  #isOver = false;

  /** @param reserve called with a number of bytes before they are allocated; may throw a Problem */
  constructor(channel: UpgradeChannel, options: EchoOptions, reserve: (bytes: number) => void) {
    this.#channel = channel;
    this.#options = options;
    this.#isPlain = !options.dialect && !options.delay && !options.fault;
    this.#readInTurn = guarded(channel, () => this.#readFrames());
    let reserved = COPIES * LARGE_CONTENT;
    const allocate = (size: number): void => {
      if (size <= reserved) return;
      reserve(size - reserved);
      reserved = size;
    };
    const { maxMessage, idleTimeout, deflate, finalBlock = false, hello, ping } = options;
    const limits = { ...options, isMasked: true, mayCompress: deflate !== undefined };
    this.#reader = new WebSocketReader(limits, (size) => allocate(COPIES * size));
    const allocateMessage = (size: number): void => allocate(COPIES_OF_MESSAGE * size);
    this.#content = new GrowingBuffer(allocateMessage);
    this.#deflate =
      deflate &&
      new PerMessageDeflate({
        parameters: deflate,
        finalBlock,
        maxMessage,
        reserve,
        allocate: allocateMessage,
      });
    const onIdle = (): void => {
      // Not while the channel is paused, because the client reads too slowly: --stall-timeout limits that.
      if (channel.isPaused) this.#timer.refresh();
      else this.close(CloseCode.goingAway, `nothing has arrived for ${idleTimeout / SECOND} s`);
    };
    this.#timer = setTimeout(guarded(channel, onIdle), idleTimeout).unref();
    this.#pingTimer =
      ping === undefined
        ? undefined
        : setInterval(
            guarded(channel, () => this.#ping()),
            ping * SECOND,
          ).unref();
    channel
      .on('data', (piece) => this.#receive(piece))
      .on('drain', () => {
        this.#isWritable = true;
        this.#resume();
      })
      .on('end', () => this.#disconnected())
      .on('close', () => this.#disconnected());
    if (channel.hasEnded) this.#disconnected();
    if (hello !== undefined) this.#write([wholeFrame(Opcode.text, Buffer.from(hello))]);
    this.#beginFault();
  }

  drain(): void {
    this.close(CloseCode.goingAway, 'wirebin is shutting down');
  }

  send(bytes: Buffer): void {
    this.#writeBytes(bytes);
  }

  /** Sends Close, and ends. One that stalls is reset: Close might be within the frame that it has announced. */
  close(code: number, reason: string): void {
    if (this.#isStalled) this.reset();
    else this.#end(wholeFrame(Opcode.close, closeContent(code, reason)));
  }

  reset(): void {
    if (this.#finish()) this.#channel.reset();
  }

  stall(): void {
    this.#isStalled = true;
  }

  ignorePings(): void {
    this.#answersPings = false;
  }

  maskFrames(mask: Uint8Array): void {
    this.#mask = mask;
  }

  #receive(piece: Buffer): void {
    if (this.#isOver) return;
    this.#timer.refresh();
    if (this.#isStalled) return;
    this.#unread = this.#reader.read(piece);
    turns.run(this.#readInTurn);
    if (this.#unread) this.#channel.pause();
  }

  /** Handles some of the received frames. The next ones take turns with other work. */
  #readFrames(): void {
    const replies: WebSocketFrame[] = [];
    let pending: Promise<void> | undefined;
    try {
      for (let count = 0; count < FRAMES_AT_ONCE && this.#mayRead && !pending; count++) {
        const next = this.#unread?.next();
        if (!next || next.done) this.#unread = undefined;
        else pending = this.#answer(next.value, replies);
      }
      this.#write(replies);
    } catch (error) {
      this.#write(replies);
      this.#fail(error);
    }
    if (pending) {
      const goOn = guarded(this.#channel, () => this.#goOn());
      pending.then(
        goOn,
        guarded(this.#channel, (error: unknown) => {
          this.#fail(error);
          this.#goOn();
        }),
      );
    } else this.#goOn();
  }

  get #mayRead(): boolean {
    return this.#unread !== undefined && !this.#isOver && !this.#isStalled;
  }

  /** Handles the next frames in turn, or reads more. */
  #goOn(): void {
    if (!this.#mayRead) this.#unread = undefined;
    if (this.#unread) turns.run(this.#readInTurn);
    else this.#resume();
  }

  /** Resumes reading, unless received frames or replies are still waiting. */
  #resume(): void {
    const channel = this.#channel;
    if (this.#isWritable && !this.#unread && channel.isPaused) channel.resume();
  }

  /**
   * Handles a frame.
   *
   * @param replies gets the frames to be sent
   * @returns a promise if that takes a while; `replies` were sent then
   */
  #answer(frame: WebSocketFrame, replies: WebSocketFrame[]): Promise<void> | undefined {
    switch (frame.opcode) {
      case Opcode.ping:
        if (this.#answersPings) replies.push({ ...frame, opcode: Opcode.pong });
        return undefined;
      case Opcode.pong:
        return undefined;
      case Opcode.close: {
        this.#write(replies.splice(0));
        const { closeContent: content = frame.content } = this.#options.dialect ?? {};
        this.#end({ ...frame, content });
        return undefined;
      }
      default:
        if (!this.#isPlain || frame.isCompressed || this.#message) {
          return this.#answerData(frame, replies);
        }
        replies.push(frame);
        return undefined;
    }
  }

  #answerData(frame: WebSocketFrame, replies: WebSocketFrame[]): Promise<void> | undefined {
    const { opcode, isCompressed = false, isFinal } = frame;
    const isFirst = this.#message === undefined;
    const message = (this.#message ??= { opcode, isCompressed });
    if (isFinal) this.#message = undefined;
    const waits = isFirst && this.#options.delay !== undefined;
    // Thousands of empty frames may come in one piece.
    if (message.isCompressed && !isFinal && !waits && frame.content.length === 0) return undefined;
    if (message.isCompressed || waits) {
      this.#write(replies.splice(0));
      return this.#answerLater(message, frame, isFirst);
    }
    replies.push(...this.#echo(message, frame));
    if (isFinal && this.#options.fault) {
      this.#write(replies.splice(0));
      this.#countMessage();
    }
    return undefined;
  }

  async #answerLater(message: Message, frame: WebSocketFrame, isFirst: boolean): Promise<void> {
    const { delay } = this.#options;
    if (isFirst && delay) await pause(delay.seconds, delay.signal);
    const frames = message.isCompressed
      ? await this.#recompress(message, frame)
      : this.#echo(message, frame);
    this.#write(frames);
    if (frame.isFinal) this.#countMessage();
  }

  /** The frames that reply to a frame: itself or, if the dialect replies to messages, those that reply to a whole one. */
  #echo({ opcode }: Message, frame: WebSocketFrame): readonly WebSocketFrame[] {
    const { dialect, maxMessage } = this.#options;
    if (!dialect) return [frame];
    this.#content.append(frame.content, maxMessage);
    return frame.isFinal ? dialect.reply(wholeFrame(opcode, this.#content.take())) : [];
  }

  /** The reply to a frame of a compressed message: the message in one frame, after its last one. */
  async #recompress({ opcode }: Message, { content, isFinal }: WebSocketFrame) {
    const message = await this.#deflate?.inflate(content, isFinal);
    if (!message) return [];
    if (opcode === Opcode.text && !isUtf8(message)) {
      throw new WebSocketError(CloseCode.invalidData, 'a text message is not UTF-8');
    }
    const compressed = (await this.#deflate?.deflate(message)) ?? message;
    return [{ isFinal: true, opcode, isCompressed: true, content: compressed }];
  }

  /** Sends a Ping with its number, unless the client reads too slowly. Control frames may be within a message (5.4). */
  #ping(): void {
    if (this.#isStalled || !this.#isWritable) return;
    this.#write([this.#nextPing()]);
  }

  #nextPing(): WebSocketFrame {
    return wholeFrame(Opcode.ping, Buffer.from(String(++this.#pings)));
  }

  /** A data frame in two, with a Ping between them, which fragments may have (RFC 6455 5.4). */
  #split(frame: WebSocketFrame): readonly WebSocketFrame[] {
    const { isFinal, content } = frame;
    const half = content.length >> 1;
    return [
      { ...frame, isFinal: false, content: content.subarray(0, half) },
      this.#nextPing(),
      { isFinal, opcode: Opcode.continuation, content: content.subarray(half) },
    ];
  }

  #countMessage(): void {
    this.#messages++;
    this.#beginFault();
  }

  #beginFault(): void {
    const { fault } = this.#options;
    if (fault?.after === this.#messages && !this.#isOver) fault.begin(this);
  }

  #write(replies: readonly WebSocketFrame[]): void {
    const frames = this.#options.split
      ? replies.flatMap((frame) => (frame.opcode < Opcode.close ? this.#split(frame) : frame))
      : replies;
    const [first] = frames;
    if (!first) return;
    const encode = (frame: WebSocketFrame): Buffer => encodeFrame(frame, this.#mask);
    this.#writeBytes(frames.length === 1 ? encode(first) : Buffer.concat(frames.map(encode)));
  }

  #writeBytes(bytes: Buffer): void {
    if (this.#isOver || this.#channel.write(bytes)) return;
    this.#isWritable = false;
    this.#channel.pause();
  }

  #fail(error: unknown): void {
    const { reasonOf } = this.#options.dialect ?? {};
    if (error instanceof WebSocketError) {
      this.close(error.code, reasonOf?.(error) ?? error.message);
    } else if (error instanceof Problem) this.close(CloseCode.tryAgainLater, error.message);
    // An aborted delay is no error.
    else if (!this.#isOver) throw error;
  }

  #end(last: WebSocketFrame): void {
    if (this.#finish()) this.#channel.end(encodeFrame(last, this.#mask));
  }

  /** Frees what it holds. @returns false if it has ended before */
  #finish(): boolean {
    if (this.#isOver) return false;
    this.#isOver = true;
    clearTimeout(this.#timer);
    clearInterval(this.#pingTimer);
    this.#deflate?.close();
    return true;
  }

  /** Ends after the client has disconnected without a Close frame. */
  #disconnected(): void {
    if (this.#finish()) this.#channel.abort();
  }
}

function wholeFrame(opcode: number, content: Buffer): WebSocketFrame {
  return { isFinal: true, opcode, content };
}
