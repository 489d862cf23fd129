import { DEFAULT_WINDOW, FrameType } from './frame.ts';
import type { FrameOutput } from './frame-output.ts';
import { ReceiveWindow } from './receive-window.ts';

/** The window of the connection for what the peer sends, whose credit is returned by WINDOW_UPDATE (RFC 9113 6.9). */
export class ConnectionCredit {
  readonly #output: FrameOutput;
  readonly #window = new ReceiveWindow(DEFAULT_WINDOW);
  /** Number of those who want no credit to be returned. */
  #holds = 0;

  constructor(output: FrameOutput) {
    this.#output = output;
  }

  /** Bytes that the peer may still send. */
  get left(): number {
    return this.#window.left;
  }

  /** Counts received bytes. @returns the window after them, negative if the peer has exceeded it */
  receive(bytes: number): number {
    return this.#window.receive(bytes);
  }

  resize(change: number): void {
    this.#window.resize(change);
  }

  /** Returns credit, unless it is held. */
  giveBack(bytes: number): void {
    if (this.#holds > 0) this.#window.consumeHeld(bytes);
    else this.#send(this.#window.consume(bytes));
  }

  /** Returns no credit until as many calls of `release`. */
  hold(): void {
    this.#holds++;
  }

  release(): void {
    if (--this.#holds === 0) this.#send(this.#window.takeConsumed());
  }

  #send(increment: number): void {
    if (increment > 0) this.#output.integerFrame(FrameType.windowUpdate, 0, increment);
  }
}
