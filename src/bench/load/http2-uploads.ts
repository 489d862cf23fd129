import {
  DEFAULT_MAX_FRAME_SIZE,
  DEFAULT_WINDOW,
  Flag,
  FrameType,
  MAX_WINDOW,
} from '../../wire/http2/frame.ts';
import type { Http2LoadStream } from './http2-load-stream.ts';
import type { Http2Output } from './http2-output.ts';

/** Sends the content of requests as far as flow control allows (RFC 9113 5.2). */
export class Http2Uploads {
  readonly #output: Http2Output;
  /** Streams with content that was not sent yet. */
  readonly #streams = new Set<Http2LoadStream>();
  #window = DEFAULT_WINDOW;
  #initialWindow = DEFAULT_WINDOW;

  constructor(output: Http2Output) {
    this.#output = output;
  }

  /** Window of a new stream. */
  get initialWindow(): number {
    return this.#initialWindow;
  }

  add(stream: Http2LoadStream): void {
    this.#streams.add(stream);
  }

  delete(stream: Http2LoadStream): void {
    this.#streams.delete(stream);
  }

  /**
   * Changes the windows of all open streams by SETTINGS_INITIAL_WINDOW_SIZE.
   *
   * @returns false if one exceeds the maximum
   */
  setInitialWindow(size: number, open: readonly Http2LoadStream[]): boolean {
    const difference = size - this.#initialWindow;
    this.#initialWindow = size;
    for (const stream of open) stream.window += difference;
    return size <= MAX_WINDOW && open.every(({ window }) => window <= MAX_WINDOW);
  }

  /** Adds to the window of the connection. @returns false if it exceeds the maximum */
  addWindow(increment: number): boolean {
    this.#window += increment;
    return this.#window <= MAX_WINDOW;
  }

  /** Sends what the windows allow. Streams that have to wait keep their turn. */
  send(): void {
    for (const stream of this.#streams) {
      while (stream.unsent > 0) {
        const size = Math.min(stream.unsent, stream.window, this.#window, DEFAULT_MAX_FRAME_SIZE);
        if (size <= 0) break;
        if (this.#output.isFull) return;
        this.#sendPart(stream, size);
      }
      if (stream.unsent === 0) this.#streams.delete(stream);
      if (this.#window === 0) return;
    }
  }

  #sendPart(stream: Http2LoadStream, size: number): void {
    const from = stream.sent;
    stream.sent += size;
    stream.window -= size;
    this.#window -= size;
    const flags = stream.unsent === 0 && stream.endsAfter ? Flag.endStream : 0;
    this.#output.part(FrameType.data, flags, stream.id, stream.outgoing, from, from + size);
  }
}
