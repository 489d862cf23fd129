import {
  CloseCode,
  closeContent,
  encodeFrame,
  Opcode,
  type WebSocketFrame,
} from '../../wire/websocket/frame.ts';
import { WebSocketReader, WebSocketError } from '../../wire/websocket/frame-reader.ts';
import { Problem } from '../../http/problem.ts';
import { guarded } from '../../server/failure.ts';
import { LARGE_CONTENT } from '../../server/request-cost.ts';
import { turns } from '../../net/turn-budget.ts';
import type { Upgraded, UpgradeChannel } from '../../server/upgrade.ts';

export interface EchoLimits {
  /** Maximum sizes, as in `FrameLimits`. */
  readonly maxFrame: number;
  readonly maxMessage: number;
  /** Milliseconds without received bytes after which the connection is closed. */
  readonly idleTimeout: number;
}

/** Number of copies of a frame in memory: the received one, and the one that is queued for sending. */
const COPIES = 2;
/** Maximum number of frames handled without a break. A client may send ten thousand in one piece. */
const FRAMES_AT_ONCE = 100;

/** Echoes the frames of a WebSocket one by one, so that fragmented messages keep their fragments (RFC 6455 5.4). */
export class WebSocketEcho implements Upgraded {
  readonly #channel: UpgradeChannel;
  readonly #reader: WebSocketReader;
  readonly #timer: NodeJS.Timeout;
  readonly #readInTurn: () => void;
  /** Received frames that are not handled yet. */
  #unread: Iterator<WebSocketFrame, void> | undefined;
  #isWritable = true;
  #isOver = false;

  /** @param reserve called with a number of bytes before they are allocated; may throw a Problem */
  constructor(channel: UpgradeChannel, limits: EchoLimits, reserve: (bytes: number) => void) {
    this.#channel = channel;
    this.#readInTurn = guarded(channel, () => this.#readFrames());
    let reserved = COPIES * LARGE_CONTENT;
    this.#reader = new WebSocketReader({ ...limits, isMasked: true }, (size) => {
      if (COPIES * size <= reserved) return;
      reserve(COPIES * size - reserved);
      reserved = COPIES * size;
    });
    const { idleTimeout } = limits;
    const onIdle = (): void => {
      // Not while the channel is paused, because the client reads too slowly: --stall-timeout limits that.
      if (channel.isPaused) this.#timer.refresh();
      else this.#close(CloseCode.goingAway, `nothing has arrived for ${idleTimeout / 1000} s`);
    };
    this.#timer = setTimeout(guarded(channel, onIdle), idleTimeout).unref();
    channel
      .on('data', (piece) => this.#receive(piece))
      .on('drain', () => {
        this.#isWritable = true;
        this.#resume();
      })
      .on('end', () => this.#disconnected())
      .on('close', () => this.#disconnected());
  }

  drain(): void {
    this.#close(CloseCode.goingAway, 'wirebin is shutting down');
  }

  #receive(piece: Buffer): void {
    if (this.#isOver) return;
    this.#timer.refresh();
    this.#unread = this.#reader.read(piece);
    turns.run(this.#readInTurn);
    if (this.#unread) this.#channel.pause();
  }

  /** Handles some of the received frames. The next ones take turns with other work. */
  #readFrames(): void {
    const replies: Buffer[] = [];
    try {
      for (let count = 0; count < FRAMES_AT_ONCE && this.#unread && !this.#isOver; count++) {
        const next = this.#unread.next();
        if (next.done) this.#unread = undefined;
        else this.#answer(next.value, replies);
      }
      this.#write(replies);
    } catch (error) {
      this.#write(replies);
      this.#fail(error);
    }
    if (this.#isOver) this.#unread = undefined;
    if (this.#unread) turns.run(this.#readInTurn);
    else this.#resume();
  }

  /** Resumes reading, unless received frames or replies are still waiting. */
  #resume(): void {
    const channel = this.#channel;
    if (this.#isWritable && !this.#unread && channel.isPaused) channel.resume();
  }

  /** Handles a frame. @param replies gets the frames to be sent */
  #answer(frame: WebSocketFrame, replies: Buffer[]): void {
    switch (frame.opcode) {
      case Opcode.ping:
        replies.push(encodeFrame({ ...frame, opcode: Opcode.pong }));
        return;
      case Opcode.pong:
        return;
      case Opcode.close:
        // The reply to Close typically has the received code (RFC 6455 5.5.1).
        this.#write(replies.splice(0));
        this.#end(encodeFrame(frame));
        return;
      default:
        replies.push(encodeFrame(frame));
    }
  }

  #write(frames: readonly Buffer[]): void {
    const [first] = frames;
    if (!first) return;
    if (this.#channel.write(frames.length === 1 ? first : Buffer.concat(frames))) return;
    this.#isWritable = false;
    this.#channel.pause();
  }

  #fail(error: unknown): void {
    if (error instanceof WebSocketError) this.#close(error.code, error.message);
    else if (error instanceof Problem) this.#close(CloseCode.tryAgainLater, error.message);
    else throw error;
  }

  /** Sends Close, and ends. @param reason at most 123 bytes */
  #close(code: number, reason: string): void {
    const content = closeContent(code, reason);
    this.#end(encodeFrame({ isFinal: true, opcode: Opcode.close, content }));
  }

  #end(last: Buffer): void {
    if (this.#isOver) return;
    this.#isOver = true;
    clearTimeout(this.#timer);
    this.#channel.end(last);
  }

  /** Ends after the client has disconnected without a Close frame. */
  #disconnected(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    clearTimeout(this.#timer);
    this.#channel.abort();
  }
}
