import { HpackDecoder } from '../../wire/http2/hpack-decoder.ts';
import {
  DEFAULT_MAX_FRAME_SIZE,
  DEFAULT_WINDOW,
  Flag,
  frame,
  FrameSplitter,
  FrameType,
  PREFACE,
  SettingId,
  uint32,
  type RawFrame,
} from '../../wire/http2/frame.ts';
import { literals } from '../../wire/http2/hpack-encoder.ts';
import { ReceiveWindow } from '../../wire/http2/receive-window.ts';
import { fragment, parseSettings, settingsPayload } from '../../wire/http2/frame-payload.ts';
import {
  valueOf,
  type Ending,
  type FieldLine,
  type RequestMessage,
  type Transfer,
} from '../message.ts';
import { fieldsBelow } from '../path-prefix.ts';
import { Changes } from './changes.ts';
import { onEnd, type Opened } from './connect.ts';
import type { SendOptions } from './http1-client.ts';
import { bytesOf } from './http1-message.ts';
import {
  frameText,
  keep,
  lowerCase,
  padded,
  padLength,
  PING_DATA,
  requestFields,
} from './http2-frames.ts';
import { FRAME_COST, MAX_BLOCK, MAX_RECEIVED, WINDOW, type Http2Options } from './http2-options.ts';
import { ClientStream, hasDeclaredLength } from './http2-stream.ts';
import { FIELD_COST, MAX_LARGE_CONTENT } from './response-recorder.ts';

/** An HTTP/2 connection that sends frames as they are given, and keeps what the server sends. */
export class Http2Client {
  readonly opened: Opened;
  readonly #options: Http2Options;
  readonly #hpack = new HpackDecoder({ maxListSize: MAX_BLOCK });
  readonly #splitter = new FrameSplitter();
  readonly #streams = new Map<number, ClientStream>();
  readonly #changes = new Changes();
  readonly #sentLines: string[] = [];
  readonly #receivedLines: string[] = [];
  /** The server's settings, by identifier; undefined until its SETTINGS arrived. */
  #settings: Map<number, number> | undefined;
  #block:
    | { readonly stream: number; readonly isEnd: boolean; readonly parts: Buffer[] }
    | undefined;
  #nextId = 1;
  /** Window of the connection for what the server sends. */
  readonly #receiving = new ReceiveWindow(DEFAULT_WINDOW + WINDOW);
  #window = DEFAULT_WINDOW;
  #goaway: { readonly lastStream: number; readonly code: number } | undefined;
  #isClosed = false;
  #isReset = false;
  #acknowledged = 0;
  #pongs = 0;
  /** Bytes that the server may still send before the client closes the connection. */
  #budget = MAX_RECEIVED;
  #receivedBytes = 0;

  /** Sends the preface and SETTINGS. */
  constructor(opened: Opened, options: Http2Options) {
    this.opened = opened;
    this.#options = options;
    opened.stream.on('data', (piece: Buffer) => {
      this.#receivedBytes += piece.length;
      for (const each of this.#splitter.push(piece)) this.#receive(each);
      this.#changes.notify();
    });
    onEnd(
      opened,
      () => {
        this.#isClosed = true;
        this.#changes.notify();
      },
      () => {
        this.#isReset = true;
      },
    );
    opened.stream.write(PREFACE);
    const settings = settingsPayload([
      [SettingId.enablePush, 0],
      [SettingId.initialWindowSize, options.window ?? WINDOW],
    ]);
    this.sendFrame(FrameType.settings, 0, 0, settings);
    if (options.window === undefined) this.sendFrame(FrameType.windowUpdate, 0, 0, uint32(WINDOW));
  }

  /** The server's SETTINGS by identifier; undefined until they arrived. */
  get settings(): ReadonlyMap<number, number> | undefined {
    return this.#settings;
  }

  /** Bytes that the window of the connection still allows the client to send. */
  get window(): number {
    return this.#window;
  }

  /** The last GOAWAY received. */
  get goaway(): { readonly lastStream: number; readonly code: number } | undefined {
    return this.#goaway;
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  get isReset(): boolean {
    return this.#isReset;
  }

  /** Number of acknowledged PINGs. */
  get pongs(): number {
    return this.#pongs;
  }

  /** Number of acknowledged SETTINGS; an acknowledgement with a payload does not count (RFC 9113 6.5). */
  get acknowledged(): number {
    return this.#acknowledged;
  }

  /** Sends one frame, valid or not. @param fields what evidence shows in place of the payload */
  sendFrame(
    type: number,
    flags: number,
    stream: number,
    payload: Buffer = Buffer.alloc(0),
    fields?: readonly FieldLine[],
  ): void {
    const sent = padded({ type, flags, stream, payload }, this.#options.padding);
    keep(this.#sentLines, frameText(sent, fields));
    if (this.opened.stream.writable)
      this.opened.stream.write(frame(type, sent.flags, stream, sent.payload));
  }

  /** Begins a stream with HEADERS of exactly these fields. @param isBlockEnded false if CONTINUATION follows */
  begin(given: readonly FieldLine[], endStream: boolean, isBlockEnded = true): ClientStream {
    const fields = fieldsBelow(this.#options.prefix, given);
    const initial = this.#settings?.get(SettingId.initialWindowSize) ?? DEFAULT_WINDOW;
    const stream = new ClientStream(
      this.#nextId,
      valueOf(fields, ':method') ?? '',
      initial,
      WINDOW,
    );
    this.#streams.set(stream.id, stream);
    this.#nextId += 2;
    if (isBlockEnded) this.#sendBlock(stream.id, fields, endStream);
    else this.sendFrame(FrameType.headers, Number(endStream), stream.id, literals(fields), fields);
    return stream;
  }

  /** Sends a request and reads its response. */
  async send(
    message: RequestMessage,
    { time, isLarge = false }: Pick<SendOptions, 'time' | 'isLarge'>,
  ): Promise<Transfer> {
    if (isLarge) this.#budget += MAX_LARGE_CONTENT;
    const { content, trailers } = message;
    // In one TCP segment: some proxies retry a request only if all of it has arrived when they begin to forward it.
    this.opened.stream.cork();
    const stream = this.start(message);
    const sending =
      content !== undefined &&
      this.sendContent(stream, bytesOf(content), time, trailers && lowerCase(trailers));
    this.opened.stream.uncork();
    await sending;
    if (isLarge) {
      await this.#changes.untilStalled(
        () => this.#isOver(stream),
        time,
        () => this.#receivedBytes,
      );
      return this.finish(stream, 0);
    }
    return this.finish(stream, time);
  }

  /** Sends the header section of a request. */
  start(message: RequestMessage): ClientStream {
    return this.begin(requestFields(message, this.#options), message.content === undefined);
  }

  /**
   * Sends content as far as flow control allows.
   *
   * @returns whether all was sent in time
   */
  async sendContent(
    stream: ClientStream,
    content: Buffer,
    time: number,
    trailers?: readonly FieldLine[],
    end = true,
  ): Promise<boolean> {
    const deadline = performance.now() + time;
    // Padding counts for flow control (RFC 9113 6.1).
    const overhead = padLength(this.#options.padding);
    for (let at = 0; at < content.length || content.length === 0;) {
      const isOver = (): boolean => this.#isOver(stream);
      const hasRoom = (): boolean => Math.min(stream.window, this.#window) > overhead;
      const isReady = (): boolean => isOver() || content.length === 0 || hasRoom();
      const left = deadline - performance.now();
      if (!isReady() && !(await this.#changes.until(isReady, left))) return false;
      if (isOver()) return false;
      const room = Math.min(stream.window, this.#window, DEFAULT_MAX_FRAME_SIZE);
      const piece = content.subarray(at, at + room - overhead);
      at += piece.length;
      stream.window -= piece.length + overhead;
      this.#window -= piece.length + overhead;
      const isLast = at === content.length && end && trailers === undefined;
      this.sendFrame(FrameType.data, isLast ? Flag.endStream : 0, stream.id, piece);
      if (content.length === 0) break;
    }
    if (trailers) this.#sendBlock(stream.id, trailers, true);
    return true;
  }

  /** A Transfer of all that was sent and received on the connection so far. */
  get transfer(): Transfer {
    const { prefix } = this.#options;
    return {
      ...(prefix && { prefix }),
      sent: this.#sentLines.join('\n'),
      received: this.#receivedLines.join('\n'),
      interim: [],
      response: undefined,
      ending: this.#isClosed ? 'closed' : 'complete',
      firstByte: undefined,
      duration: 0,
      isReusable: !this.#isClosed && this.#goaway === undefined,
    };
  }

  /** Waits until the stream or the connection ends. */
  async finish(stream: ClientStream, time: number, until?: () => boolean): Promise<Transfer> {
    const isDone = (): boolean => this.#isOver(stream) || until?.() === true;
    const inTime = await this.#changes.until(isDone, time);
    const { head, headAt, startedAt } = stream;
    return {
      ...this.transfer,
      interim: stream.interim,
      response: head && {
        ...head,
        content: Buffer.concat(stream.content),
        trailers: stream.trailers,
      },
      ...this.#endingOf(stream, inTime),
      firstByte: headAt === undefined ? undefined : headAt - startedAt,
      duration: performance.now() - startedAt,
    };
  }

  /** Waits until the condition holds. It is tested after each piece of data received. */
  until(condition: () => boolean, time: number): Promise<boolean> {
    return this.#changes.until(condition, time);
  }

  close(how: 'close' | 'reset' = 'close'): void {
    if (how === 'reset') this.opened.tcp.resetAndDestroy();
    this.opened.stream.destroy();
  }

  #isOver({ id, isEnded, hasEarlyContent, resetCode }: ClientStream): boolean {
    const isRefused = this.#goaway !== undefined && id > this.#goaway.lastStream;
    const isEndedOrReset = isEnded || hasEarlyContent || resetCode !== undefined;
    return isEndedOrReset || this.#isClosed || isRefused;
  }

  #endingOf(stream: ClientStream, inTime: boolean): { ending: Ending; errorCode?: number } {
    const { isEnded, hasEarlyContent, resetCode, id } = stream;
    if (hasEarlyContent) return { ending: 'malformed' };
    if (isEnded) return { ending: hasDeclaredLength(stream) ? 'complete' : 'malformed' };
    if (resetCode !== undefined) return { ending: 'reset', errorCode: resetCode };
    if (this.#goaway && (this.#goaway.code !== 0 || id > this.#goaway.lastStream)) {
      return { ending: 'goaway', errorCode: this.#goaway.code };
    }
    if (this.#isReset) return { ending: 'reset' };
    // The client itself has closed the connection if the server sent too much.
    if (this.#isClosed) return { ending: this.#budget <= 0 ? 'malformed' : 'closed' };
    return { ending: inTime ? 'complete' : 'timeout' };
  }

  #sendBlock(stream: number, fields: readonly FieldLine[], endStream: boolean): void {
    const block = literals(fields);
    for (let at = 0; at === 0 || at < block.length; at += DEFAULT_MAX_FRAME_SIZE) {
      const part = block.subarray(at, at + DEFAULT_MAX_FRAME_SIZE);
      const end = at + DEFAULT_MAX_FRAME_SIZE >= block.length ? Flag.endHeaders : 0;
      if (at > 0) this.sendFrame(FrameType.continuation, end, stream, part);
      else this.sendFrame(FrameType.headers, end | Number(endStream), stream, part, fields);
    }
  }

  #receive(received: RawFrame): void {
    const { type, flags, stream: id, payload } = received;
    this.#budget -= FRAME_COST + payload.length;
    if (this.#budget <= 0) return void this.opened.stream.destroy();
    if (type !== FrameType.headers && type !== FrameType.continuation) {
      keep(this.#receivedLines, frameText(received));
    }
    switch (type) {
      case FrameType.settings:
        this.#receiveSettings(received);
        return;
      case FrameType.ping:
        if ((flags & Flag.ack) === 0) this.sendFrame(FrameType.ping, Flag.ack, 0, payload);
        else if (payload.equals(PING_DATA)) this.#pongs++;
        return;
      case FrameType.goaway:
        if (payload.length < 8) return;
        this.#goaway = { lastStream: payload.readUInt32BE(), code: payload.readUInt32BE(4) };
        return;
      case FrameType.windowUpdate:
        this.#receiveWindowUpdate(received);
        return;
      case FrameType.headers:
        this.#block = {
          stream: id,
          isEnd: (flags & Flag.endStream) !== 0,
          parts: [fragment(received)],
        };
        if ((flags & Flag.endHeaders) !== 0) this.#endBlock(received);
        return;
      case FrameType.continuation:
        this.#block?.parts.push(payload);
        if ((flags & Flag.endHeaders) !== 0) this.#endBlock(received);
        return;
      case FrameType.data:
        this.#receiveData(received);
        return;
      case FrameType.rstStream: {
        const stream = this.#streams.get(id);
        if (stream && payload.length === 4) stream.resetCode ??= payload.readUInt32BE();
        return;
      }
      default:
    }
  }

  #receiveSettings(received: RawFrame): void {
    if ((received.flags & Flag.ack) !== 0) {
      if (received.payload.length === 0) this.#acknowledged++;
      return;
    }
    const before = this.#settings?.get(SettingId.initialWindowSize) ?? DEFAULT_WINDOW;
    this.#settings ??= new Map();
    for (const { id, value } of parseSettings(received.payload)) this.#settings.set(id, value);
    // The windows of open streams change, too, and may become negative (RFC 9113 6.9.2).
    const change = (this.#settings.get(SettingId.initialWindowSize) ?? before) - before;
    for (const stream of this.#streams.values()) stream.window += change;
    this.sendFrame(FrameType.settings, Flag.ack, 0);
  }

  #receiveWindowUpdate({ stream: id, payload }: RawFrame): void {
    if (payload.length !== 4) return;
    const increment = payload.readUInt32BE() & 0x7fffffff;
    const stream = this.#streams.get(id);
    if (id === 0) this.#window += increment;
    else if (stream) stream.window += increment;
  }

  #receiveData(received: RawFrame): void {
    const { flags, stream: id, payload } = received;
    const stream = this.#streams.get(id);
    this.#renew(0, this.#receiving, payload.length);
    if (!stream) return;
    if (!stream.head) stream.hasEarlyContent = true;
    stream.content.push(Buffer.from(fragment(received)));
    if ((flags & Flag.endStream) !== 0) stream.isEnded = true;
    else this.#renew(id, stream.receiving, payload.length);
  }

  /** Counts received bytes, which are consumed at once. */
  #renew(id: number, window: ReceiveWindow, bytes: number): void {
    window.receive(bytes);
    const increment = window.consume(bytes);
    if (this.#options.window !== undefined || increment === 0) return;
    this.sendFrame(FrameType.windowUpdate, 0, id, uint32(increment));
  }

  #endBlock(last: RawFrame): void {
    const block = this.#block;
    this.#block = undefined;
    if (!block) return;
    const { fields, error, listSize } = this.#hpack.decode(Buffer.concat(block.parts));
    this.#budget -= Math.min(listSize, MAX_BLOCK) + FIELD_COST * fields.length;
    const lines = fields.map(({ name, value }): FieldLine => [name, value]);
    keep(this.#receivedLines, frameText({ ...last, stream: block.stream }, lines));
    if (!error) this.#streams.get(block.stream)?.receiveSection(lines, block.isEnd);
  }
}
