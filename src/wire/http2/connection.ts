import type { FieldLines } from '../../http/fields.ts';
import type { ConnectionEvents, ConnectionParts } from './connection-events.ts';
import { ConnectionSettings } from './connection-settings.ts';
import {
  DEFAULT_WINDOW,
  FrameType,
  goaway,
  MAX_STREAM,
  PREFACE,
  SettingId,
  type Role,
} from './frame.ts';
import { FrameOutput, type Content } from './frame-output.ts';
import { settingsPayload, type Setting } from './frame-payload.ts';
import { HpackEncoder, type HpackEncoderOptions } from './hpack-encoder.ts';
import { Incoming, type IncomingOptions } from './incoming.ts';
import { Outgoing, type Section } from './outgoing.ts';
import { Http2Stream } from './stream.ts';
import { StreamTable } from './stream-table.ts';

export interface ConnectionOptions extends IncomingOptions {
  readonly role: Role;
  /** Settings that are sent first. A client's begin with SETTINGS_ENABLE_PUSH of 0. */
  readonly settings: readonly Setting[];
  /** Bytes that the peer may send on the connection before credit is returned. Default, and minimum: 65,535. */
  readonly window?: number;
  readonly encoder?: HpackEncoderOptions;
  /** Whether `takeOutput` returns large content as the pieces that were given, without copying it. */
  readonly gathers?: boolean;
}

const NOTHING: readonly Uint8Array[] = [];

/**
 * One side of an HTTP/2 connection (RFC 9113), without I/O: bytes are given to `receive`, which calls the events, and
 * those to write are taken by `takeOutput`. Call that after each call of other methods, and when the socket can take
 * more: content waits in the connection until then, and until flow control allows it.
 */
export class Http2Connection<Owner> {
  readonly #parts: ConnectionParts<Owner>;
  readonly #incoming: Incoming<Owner>;

  constructor(events: ConnectionEvents<Owner>, options: ConnectionOptions) {
    const { role, window = DEFAULT_WINDOW } = options;
    const output = new FrameOutput(options.gathers);
    const streams = new StreamTable<Owner>(role);
    const encoder = new HpackEncoder(options.encoder);
    this.#parts = {
      role,
      events,
      output,
      outgoing: new Outgoing<Owner>({ events, output, encoder, streams }),
      streams,
      encoder,
      local: new ConnectionSettings(),
      peer: new ConnectionSettings(),
      isFinishing: false,
      refusedAbove: Infinity,
    };
    if (role === 'client') output.bytes(PREFACE);
    this.#incoming = new Incoming(this.#parts, options);
    const noPush = role === 'client' ? [{ id: SettingId.enablePush, value: 0 }] : [];
    this.changeSettings([...noPush, ...options.settings]);
    this.#incoming.open(window);
  }

  /** The settings of the peer: their initial values until SETTINGS arrive. */
  get peer(): Readonly<ConnectionSettings> {
    return this.#parts.peer;
  }

  /** The settings of this side that apply to what is received. */
  get local(): Readonly<ConnectionSettings> {
    return this.#parts.local;
  }

  /** Number of streams that are open or half-closed. */
  get streamCount(): number {
    return this.#parts.streams.size;
  }

  /** Open and half-closed streams. */
  get openStreams(): readonly Http2Stream<Owner>[] {
    return this.#parts.streams.all();
  }

  /** Whether no further stream will be begun here, after a GOAWAY of either side or the last identifier. */
  get isFinishing(): boolean {
    const { isFinishing, streams } = this.#parts;
    return isFinishing || streams.lastOwn + 2 > MAX_STREAM;
  }

  /** Whether the peer allows another stream now. */
  get canOpen(): boolean {
    return !this.isFinishing && this.streamCount < this.#parts.peer.maxConcurrentStreams;
  }

  /** Bytes of frames that were not taken, without content that waits. */
  get outputLength(): number {
    return this.#parts.output.length;
  }

  /** Bytes that may still be sent on the connection, and below, received. */
  get sendWindow(): number {
    return this.#parts.outgoing.window;
  }

  get receiveWindow(): number {
    return this.#incoming.credit.left;
  }

  /** Bytes of content that waits for flow control or to be taken. */
  get waitingLength(): number {
    return this.#parts.outgoing.waitingLength;
  }

  /** Whether a field section has begun that has not arrived completely. */
  get isWithinBlock(): boolean {
    return this.#incoming.reader.isWithinBlock;
  }

  /** Reads bytes of the peer. @returns how many: all, unless an event has called `pause` or `stop` */
  receive(bytes: Buffer): number {
    return this.#incoming.reader.read(bytes);
  }

  /** Ends `receive` after the current frame. To be called in an event. */
  pause(): void {
    this.#incoming.reader.pause();
  }

  /** Reads nothing more, and calls no further event: not even for the bytes that `receive` is reading. */
  stop(): void {
    this.#incoming.reader.stop();
  }

  /**
   * Takes the bytes to write.
   *
   * @param limit number of copied bytes from which on waiting content is left for later
   * @returns one piece, or with `gathers` several, which the next call of any method changes, unless `keepTaken` comes
   * first; none if there is nothing to write
   */
  takeOutput(limit: number): readonly Uint8Array[] {
    const { outgoing, output } = this.#parts;
    outgoing.pump(limit);
    return output.length === 0 ? NOTHING : output.take();
  }

  /** Leaves the bytes that were taken as they are: call if they are not written yet. */
  keepTaken(): void {
    this.#parts.output.keepTaken();
  }

  /** Gives the memory of the bytes that were taken to other connections, if there is much of it: call if they are written. */
  reuseTaken(): void {
    this.#parts.output.reuseTaken();
  }

  /** Begins a stream of a client. Call only if `canOpen`. */
  open(section: Section, isEnd: boolean, owner: Owner): Http2Stream<Owner> {
    const { streams, peer, local } = this.#parts;
    const id = streams.lastOwn === 0 ? 1 : streams.lastOwn + 2;
    const stream = new Http2Stream(id, owner, peer.initialWindowSize, local.initialWindowSize);
    streams.add(stream);
    this.sendHeaders(stream, section, isEnd);
    return stream;
  }

  /** Sends a header section. @returns false if the stream is closed for sending */
  sendHeaders(stream: Http2Stream<Owner>, section: Section, isEnd: boolean): boolean {
    return this.#parts.outgoing.sendHeaders(stream, section, isEnd);
  }

  /**
   * Sends content, which must not change until it is sent.
   *
   * @returns whether all was sent; otherwise `onSent` follows, unless the stream is closed
   */
  send(stream: Http2Stream<Owner>, content: Content, isEnd: boolean): boolean {
    return this.#parts.outgoing.send(stream, content, isEnd);
  }

  /** Sends trailers, after the content that waits. @param fields names in lower case */
  sendTrailers(stream: Http2Stream<Owner>, fields: FieldLines): void {
    this.#parts.outgoing.sendTrailers(stream, fields);
  }

  /** Resets a stream, and drops what it has to send. */
  reset(stream: Http2Stream<Owner>, code: number): void {
    this.#incoming.reset(stream, code);
  }

  /** Returns credit for content. @param bytes that `onContent` was called with */
  returnCredit(stream: Http2Stream<Owner>, bytes: number): void {
    this.#incoming.returnCredit(stream, bytes);
  }

  /** Returns no credit of the connection until as many calls of `releaseCredit`. */
  holdCredit(): void {
    this.#incoming.credit.hold();
  }

  releaseCredit(): void {
    this.#incoming.credit.release();
  }

  /** Sends bytes as they are, valid or not. Field blocks in them may change the peer's table. */
  sendRaw(bytes: Uint8Array): void {
    this.#parts.output.bytes(bytes);
    this.clearTable();
  }

  /** Begins the next field block with an empty table. Call if the peer was sent a block of another encoder. */
  clearTable(): void {
    this.#parts.encoder.clear();
  }

  /** Sends nothing more on a stream, without telling the peer: what it has got was sent by `sendRaw`. */
  stopSending(stream: Http2Stream<Owner>): void {
    this.#parts.outgoing.stop(stream);
  }

  /** Sends SETTINGS (RFC 9113 6.5). */
  changeSettings(settings: readonly Setting[]): void {
    const payload = settingsPayload(settings.map(({ id, value }) => [id, value] as const));
    this.#parts.output.frame(FrameType.settings, 0, 0, payload);
    this.#incoming.announce(settings);
  }

  /** Sends PING. @param payload 8 bytes */
  ping(payload: Uint8Array): void {
    this.#parts.output.frame(FrameType.ping, 0, 0, payload);
  }

  /**
   * Sends GOAWAY (RFC 9113 6.8). Streams that are open go on.
   *
   * @param lastStream the last stream of the peer that is processed. Default: the last one that it has begun, unless an
   * earlier GOAWAY has said less. MAX_STREAM announces the end, and refuses none yet
   */
  goAway(code: number, lastStream = this.#incoming.lastServed, debugData?: Uint8Array): void {
    this.#parts.isFinishing = true;
    this.#parts.refusedAbove = Math.min(lastStream, this.#parts.refusedAbove);
    this.#parts.output.bytes(goaway(lastStream, code, debugData));
  }
}
