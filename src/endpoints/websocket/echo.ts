import {
  CloseCode,
  closeContent,
  encodeFrame,
  Opcode,
  type WebSocketFrame,
} from '../../http/websocket.ts';
import { FrameReader, WebSocketError } from '../../http/websocket-reader.ts';
import { Problem } from '../../http/problem.ts';
import { LARGE_CONTENT } from '../../server/memory-budget.ts';
import type { Upgraded, UpgradeChannel } from '../../server/upgrade.ts';

export interface EchoLimits {
  /** As in `FrameLimits`. */
  readonly maxFrame: number;
  readonly maxMessage: number;
  /** Time without a byte after which the connection is closed, in milliseconds. */
  readonly idleTimeout: number;
}

/** Copies of a frame in memory: what was received, and what waits to be sent. */
const COPIES = 2;

/** Sends each frame of a message back as it came, so that fragments stay what they are (RFC 6455 5.4). */
export class WebSocketEcho implements Upgraded {
  readonly #channel: UpgradeChannel;
  readonly #reader: FrameReader;
  readonly #timer: NodeJS.Timeout;
  #isOver = false;

  /** @param reserve called with bytes before they are allocated; may throw a Problem */
  constructor(channel: UpgradeChannel, limits: EchoLimits, reserve: (bytes: number) => void) {
    this.#channel = channel;
    let reserved = COPIES * LARGE_CONTENT;
    this.#reader = new FrameReader({ ...limits, isMasked: true }, (size) => {
      if (COPIES * size <= reserved) return;
      reserve(COPIES * size - reserved);
      reserved = COPIES * size;
    });
    const { idleTimeout } = limits;
    const onIdle = (): void => {
      // What is not read keeps the rest from being read; --stall-timeout is for that.
      if (channel.stream.isPaused()) this.#timer.refresh();
      else this.#close(CloseCode.goingAway, `nothing has arrived for ${idleTimeout / 1000} s`);
    };
    this.#timer = setTimeout(onIdle, idleTimeout).unref();
    channel.stream
      .on('data', (piece: Buffer) => this.#receive(piece))
      .once('end', () => this.#disconnected())
      .once('close', () => this.#disconnected());
  }

  drain(): void {
    this.#close(CloseCode.goingAway, 'wirebin is shutting down');
  }

  #receive(piece: Buffer): void {
    if (this.#isOver) return;
    this.#timer.refresh();
    const frames: Buffer[] = [];
    try {
      this.#reader.read(piece, (frame) => {
        if (!this.#isOver) this.#answer(frame, frames);
      });
    } catch (error) {
      this.#write(frames);
      this.#fail(error);
      return;
    }
    this.#write(frames);
  }

  #answer(frame: WebSocketFrame, frames: Buffer[]): void {
    switch (frame.opcode) {
      case Opcode.ping:
        frames.push(encodeFrame({ ...frame, opcode: Opcode.pong }));
        return;
      case Opcode.pong:
        return;
      case Opcode.close:
        // RFC 6455 5.5.1: typically with the code that was received.
        this.#write(frames.splice(0));
        this.#end(encodeFrame(frame));
        return;
      default:
        frames.push(encodeFrame(frame));
    }
  }

  #write(frames: readonly Buffer[]): void {
    const [first] = frames;
    if (!first) return;
    const { stream } = this.#channel;
    if (this.#channel.write(frames.length === 1 ? first : Buffer.concat(frames))) return;
    stream.pause();
    stream.once('drain', () => stream.resume());
  }

  #fail(error: unknown): void {
    if (error instanceof WebSocketError) this.#close(error.code, error.message);
    else if (error instanceof Problem) this.#close(CloseCode.tryAgainLater, error.message);
    else throw error;
  }

  /** @param reason at most 123 bytes */
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

  /** Without a Close frame. */
  #disconnected(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    clearTimeout(this.#timer);
    this.#channel.abort();
  }
}
