import type { Ending, RequestMessage, Transfer } from '../message.ts';
import { below } from '../path-prefix.ts';
import { Changes } from './changes.ts';
import { onEnd, type Opened } from './connect.ts';
import { http1Request } from './http1-message.ts';
import { ResponseRecorder } from './response-recorder.ts';

/** Bytes of received data that are kept as evidence. */
const MAX_EVIDENCE = 16 * 1024;

export interface SendOptions {
  /** Limit in milliseconds for the whole transfer; with `isLarge`, for a time in which nothing is received. */
  readonly time: number;
  /** Milliseconds to wait for an interim response before the content is sent (RFC 9110 10.1.1). */
  readonly expectFor?: number;
  /** Called after each part of the response. Returning true ends the transfer. */
  readonly until?: (reader: ResponseRecorder) => boolean;
  /** Whether the response may have 32 MiB of content. Default: 4 MiB, or 8 MiB for all of an HTTP/2 connection. */
  readonly isLarge?: boolean;
}

/** An HTTP/1.1 connection that sends bytes as they are given, and reads responses one by one. */
export class Http1Client {
  readonly opened: Opened;
  readonly #authority: string;
  readonly #prefix: string;
  /** What was received for the current request, in Latin-1. */
  #received = '';
  #receivedBytes = 0;
  #isEnded = false;
  #isReset = false;
  #reader: ResponseRecorder | undefined;
  readonly #changes = new Changes();

  /**
   * @param authority default of Host
   * @param prefix before the path of each request that is a `RequestMessage`
   */
  constructor(opened: Opened, authority: string, prefix = '') {
    this.opened = opened;
    this.#authority = authority;
    this.#prefix = prefix;
    opened.stream.on('data', (piece: Buffer) => {
      this.#receivedBytes += piece.length;
      if (this.#received.length < MAX_EVIDENCE) this.#received += piece.toString('latin1');
      this.#reader?.push(piece);
      if (this.#reader?.isTooLong) opened.stream.destroy();
      this.#changes.notify();
    });
    onEnd(
      opened,
      () => {
        this.#isEnded = true;
        this.#reader?.end();
        this.#changes.notify();
      },
      () => {
        this.#isReset = true;
      },
    );
  }

  /** Whether the server has closed the connection. */
  get isEnded(): boolean {
    return this.#isEnded;
  }

  get isReset(): boolean {
    return this.#isReset;
  }

  /** What has come after the last response. */
  get rest(): Buffer {
    return this.#reader?.rest ?? Buffer.alloc(0);
  }

  /** Sends a request and reads its response. */
  async send(message: RequestMessage, options: SendOptions): Promise<Transfer> {
    const target = below(this.#prefix, message.target);
    const { head, content } = http1Request({ ...message, target }, this.#authority);
    const { expectFor } = options;
    if (expectFor === undefined || content.length === 0) {
      return this.exchange(Buffer.concat([head, content]), message.method ?? 'GET', options);
    }
    return this.exchange(head, message.method ?? 'GET', options, async (reader) => {
      await this.#waitFor(() => reader.interim.length > 0 || reader.hasHead, expectFor);
      const isRefused = reader.hasHead || this.#isEnded;
      if (!isRefused) this.write(content);
      return isRefused ? '' : content.toString('latin1');
    });
  }

  /**
   * Sends bytes as they are, and reads one response.
   *
   * @param method decides whether the response has content
   * @param more sends further bytes, and returns what it sent as text
   */
  async exchange(
    bytes: Buffer,
    method: string,
    { time, until, isLarge = false }: SendOptions,
    more?: (reader: ResponseRecorder) => Promise<string>,
  ): Promise<Transfer> {
    const reader = new ResponseRecorder(method, isLarge);
    // Bytes after the previous response belong to that of a pipelined request.
    const { rest } = this;
    this.#received = rest.toString('latin1');
    if (rest.length > 0) reader.push(rest);
    this.#reader = reader;
    const start = performance.now();
    let firstByte: number | undefined;
    this.write(bytes);
    const isDone = (): boolean => {
      if (reader.hasHead) firstByte ??= performance.now() - start;
      return reader.isComplete || reader.malformed !== undefined || until?.(reader) === true;
    };
    const isOver = (): boolean => isDone() || this.#isEnded;
    const [later = '', inTime] = await Promise.all([
      more?.(reader),
      isLarge
        ? this.#changes.untilStalled(isOver, time, () => this.#receivedBytes)
        : this.#waitFor(isOver, time),
    ]);
    return {
      ...(this.#prefix !== '' && { prefix: this.#prefix }),
      sent: bytes.toString('latin1') + later,
      received: this.#received,
      interim: reader.interim,
      response: reader.response,
      ending: this.#endingOf(reader, inTime),
      firstByte,
      duration: performance.now() - start,
      isReusable: reader.isReusable && !this.#isEnded,
    };
  }

  /** Sends a request, and stops reading from the connection. */
  sendUnread(message: RequestMessage): Promise<Transfer> {
    this.opened.stream.pause();
    return this.send(message, { time: 0 });
  }

  /** Sends further bytes. */
  write(bytes: Buffer): void {
    if (this.opened.stream.writable) this.opened.stream.write(bytes);
  }

  /** Waits until the server closes the connection. @returns whether it did in time */
  closed(time: number): Promise<boolean> {
    return this.#waitFor(() => this.#isEnded, time);
  }

  /** Closes the connection, by FIN or RST. */
  close(how: 'close' | 'reset' = 'close'): void {
    if (how === 'reset') this.opened.tcp.resetAndDestroy();
    this.opened.stream.destroy();
  }

  #endingOf(reader: ResponseRecorder, inTime: boolean): Ending {
    if (reader.malformed !== undefined) return 'malformed';
    if (reader.isComplete) return 'complete';
    if (this.#isReset) return 'reset';
    if (this.#isEnded) return 'closed';
    return inTime ? 'complete' : 'timeout';
  }

  #waitFor(condition: () => boolean, time: number): Promise<boolean> {
    return this.#changes.until(condition, time);
  }
}
