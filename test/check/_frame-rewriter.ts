import { Duplex } from 'node:stream';
import type { Socket } from 'node:net';
import {
  Flag,
  frame,
  FrameSplitter,
  FrameType,
  PREFACE,
  uint32,
  type RawFrame,
} from '../../src/wire/http2/frame.ts';
import type { FieldLine } from '../../src/check/message.ts';
import { HpackDecoder } from '../../src/wire/http2/hpack-decoder.ts';
import { literals } from '../../src/wire/http2/hpack-encoder.ts';

/** What a lenient server makes of frames before it checks them. */
export interface FrameRewriting {
  /** undefined ignores the frame. */
  readonly frame?: (received: RawFrame) => RawFrame | readonly RawFrame[] | undefined;
  readonly fields?: (fields: readonly FieldLine[]) => readonly FieldLine[];
  /**
   * What counts against windows forever: of the connection, content of streams that the client resets, or padding; or
   * padding of streams.
   */
  readonly leaks?: 'canceled' | 'padding' | 'padding of streams';
  /** Bytes of content after which it reads nothing any more. */
  readonly readsContent?: number;
  /** A frame that is sent back for one that is then ignored. */
  readonly answer?: (received: RawFrame) => RawFrame | undefined;
}

/** Fields that nghttp2 would drop: it has to refuse the request (RFC 9113 8.2.1), as it does for two paths. */
export function refuseMalformed(fields: readonly FieldLine[]): readonly FieldLine[] {
  const isMalformed = fields.some(
    ([name, value]) => !/^:?[!#$%&'*+\-.^_`|~0-9a-z]+$/.test(name) || /[\0\r\n]/.test(value),
  );
  return isMalformed ? [[':path', '/'], ...fields] : fields;
}

/** A connection whose bytes are rewritten on their way to the socket, or from it. */
export class Rewriter extends Duplex {
  protected readonly socket: Socket;

  constructor(socket: Socket) {
    super();
    this.socket = socket;
    socket.on('end', () => this.push(null));
    socket.on('error', () => undefined).on('close', () => this.destroy());
  }

  override _read(): void {
    this.socket.resume();
  }

  override _write(piece: Buffer, _encoding: string, done: () => void): void {
    if (this.socket.writable) this.forward(piece);
    done();
  }

  protected forward(piece: Buffer): void {
    this.socket.write(piece);
  }

  override _final(done: () => void): void {
    this.socket.end();
    done();
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.socket.destroy();
    done(error);
  }
}

/** A connection of HTTP/2 whose frames are rewritten before they are read. */
export class FrameRewriter extends Rewriter {
  readonly #rewriting: FrameRewriting;
  readonly #splitter = new FrameSplitter();
  readonly #hpack = new HpackDecoder();
  #preface: number;
  #isHeld = false;
  #contentRead = 0;
  readonly #sent = new FrameSplitter();
  /** Bytes of content by stream, and those for which the window is not renewed. */
  readonly #content = new Map<number, number>();
  #leaked = 0;
  /** Whether GOAWAY with an error has arrived. */
  #isEnded = false;

  /** @param side who sends the frames; a client sends the preface first */
  constructor(
    socket: Socket,
    first: Buffer,
    rewriting: FrameRewriting,
    side: 'client' | 'server' = 'client',
  ) {
    super(socket);
    this.#preface = side === 'client' ? 0 : PREFACE.length;
    this.#rewriting = rewriting;
    socket.on('data', (piece: Buffer) => this.#receive(piece));
    this.#receive(first);
  }

  /** Reads nothing any more. */
  hold(): void {
    this.#isHeld = true;
    this.socket.pause();
  }

  /** Reads on. */
  release(): void {
    this.#isHeld = false;
    this.socket.resume();
  }

  override _read(): void {
    if (!this.#isHeld) this.socket.resume();
  }

  protected override forward(piece: Buffer): void {
    if (this.#rewriting.leaks === undefined) {
      super.forward(piece);
      return;
    }
    for (const { type, flags, stream, payload } of this.#sent.push(piece)) {
      const isOfStreams = this.#rewriting.leaks === 'padding of streams';
      const isRenewal = type === FrameType.windowUpdate && (stream !== 0) === isOfStreams;
      const increment = isRenewal ? payload.readUInt32BE() : 0;
      const kept = Math.min(increment, this.#leaked);
      this.#leaked -= kept;
      const rest = increment === kept ? undefined : uint32(increment - kept);
      if (!isRenewal) this.socket.write(frame(type, flags, stream, payload));
      else if (rest) this.socket.write(frame(type, flags, stream, rest));
    }
  }

  #noteContent({ type, flags, stream, payload }: RawFrame): void {
    const bytes = this.#content.get(stream) ?? 0;
    const isPadded = type === FrameType.data && (flags & Flag.padded) !== 0;
    if (type === FrameType.data) this.#content.set(stream, bytes + payload.length);
    if (this.#rewriting.leaks === 'canceled' && type === FrameType.rstStream) this.#leaked += bytes;
    if (this.#rewriting.leaks !== 'canceled' && isPadded) this.#leaked += payload.readUInt8();
  }

  #receive(piece: Buffer): void {
    const preface = piece.subarray(0, PREFACE.length - this.#preface);
    this.#preface += preface.length;
    if (preface.length > 0) this.push(preface);
    for (const each of this.#splitter.push(piece.subarray(preface.length))) {
      const { frame: change, answer, readsContent = Infinity } = this.#rewriting;
      if (each.type === FrameType.data) this.#contentRead += each.payload.length;
      if (this.#contentRead > readsContent) {
        this.hold();
        return;
      }
      this.#noteContent(each);
      const answered = answer?.(each);
      if (answered) {
        const { type, flags, stream, payload } = answered;
        this.socket.write(frame(type, flags, stream, payload));
        continue;
      }
      const rewritten = change ? change(each) : each;
      for (const one of rewritten ? [rewritten].flat() : []) {
        if (this.#isEnded) return;
        this.push(this.#bytesOf(one));
        // The session is destroyed in a later turn, and would read the rest until then.
        this.#isEnded = one.type === FrameType.goaway && one.payload.readUInt32BE(4) !== 0;
      }
    }
  }

  /** Field blocks that are one frame are decoded and encoded again, without the dynamic table. */
  #bytesOf({ type, flags, stream, payload }: RawFrame): Buffer {
    const { fields: change } = this.#rewriting;
    if (type !== FrameType.headers || (flags & Flag.endHeaders) === 0 || !change) {
      return frame(type, flags, stream, payload);
    }
    const { fields, error } = this.#hpack.decode(payload);
    if (error) return frame(type, flags, stream, payload);
    const lines = fields.map(({ name, value }): FieldLine => [name, value]);
    return frame(type, flags, stream, literals(change(lines)));
  }
}
