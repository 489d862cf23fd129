/** Framing of units, such as frames and records: a header of fixed size contains the length of the content after it. */
export interface UnitFraming {
  readonly headerLength: number;
  /** Bytes of content. @param at offset of the header */
  readonly lengthOf: (bytes: Buffer, at: number) => number;
}

/** Receives what a `UnitReader` reads, for each unit in this order. */
export interface UnitSink {
  /**
   * Called at each header.
   *
   * @param at offset of the header in `bytes`
   * @param offset of the unit, in bytes from the first one
   * @param time when its first byte arrived
   * @returns number of bytes at the start of the content to be passed in one piece; undefined to stop reading
   */
  onHeader(bytes: Buffer, at: number, offset: number, time: number): number | undefined;
  /** Called with the bytes that `onHeader` asked for, if any. They may be part of the piece being read. */
  onHead(head: Buffer): void;
  /** Called with the rest of the content, in pieces. */
  onContent(bytes: Buffer, start: number, end: number): void;
  onEnd(): void;
}

const EMPTY: Buffer = Buffer.alloc(0);

/** Finds units in pieces of any size. Keeps at most a header, and the bytes that the sink wants in one piece. */
export class UnitReader {
  readonly #framing: UnitFraming;
  readonly #sink: UnitSink;
  readonly #header: Buffer;
  #headerLength = 0;
  #headerTime = 0;
  /** Offset of the current or next unit. */
  #offset: number;
  #length = 0;
  /** Bytes of content that have not arrived yet; undefined between units. */
  #left: number | undefined;
  #headNeeded = 0;
  #headLength = 0;
  /** Bytes wanted in one piece that arrive in several. */
  #head = EMPTY;
  #isStopped = false;
  #isPaused = false;

  /** @param offset of the first byte */
  constructor(framing: UnitFraming, sink: UnitSink, offset = 0) {
    this.#framing = framing;
    this.#sink = sink;
    this.#header = Buffer.alloc(framing.headerLength);
    this.#offset = offset;
  }

  /** Whether all bytes read so far form complete units. */
  get isComplete(): boolean {
    return this.#left === undefined && this.#headerLength === 0;
  }

  /** Whether the header of a unit has arrived, and not all of its content. */
  get isWithinContent(): boolean {
    return this.#left !== undefined;
  }

  /** Memory of the incomplete unit in bytes. */
  get bytesKept(): number {
    return this.#head.length;
  }

  /** The part of the bytes wanted in one piece that has arrived; empty when all have. */
  get partialHead(): Buffer {
    return this.#head.subarray(0, this.#headLength);
  }

  /** Ends `read` early. To be called by the sink. */
  pause(): void {
    this.#isPaused = true;
  }

  /** @param time when the piece arrived @returns bytes read: all, unless `pause` was called or the sink has stopped */
  read(piece: Buffer, time: number): number {
    this.#isPaused = false;
    let at = 0;
    while (at < piece.length && !this.#isStopped && !this.#isPaused) {
      if (this.#left === undefined) at = this.#readHeader(piece, at, time);
      else if (this.#headLength < this.#headNeeded) at = this.#readHead(piece, at, this.#left);
      else at = this.#readContent(piece, at, this.#left);
      if (this.#left === 0) this.#end();
    }
    return at;
  }

  #readHeader(piece: Buffer, at: number, time: number): number {
    const { headerLength } = this.#framing;
    if (this.#headerLength === 0) {
      this.#headerTime = time;
      if (piece.length - at >= headerLength) {
        this.#begin(piece, at);
        return at + headerLength;
      }
    }
    const copied = piece.copy(this.#header, this.#headerLength, at);
    this.#headerLength += copied;
    if (this.#headerLength === headerLength) {
      this.#headerLength = 0;
      this.#begin(this.#header, 0);
    }
    return at + copied;
  }

  #begin(bytes: Buffer, at: number): void {
    const wanted = this.#sink.onHeader(bytes, at, this.#offset, this.#headerTime);
    if (wanted === undefined) {
      this.#isStopped = true;
      return;
    }
    this.#length = this.#framing.lengthOf(bytes, at);
    this.#left = this.#length;
    this.#headNeeded = wanted;
    this.#headLength = 0;
  }

  #readHead(piece: Buffer, at: number, left: number): number {
    const needed = this.#headNeeded;
    const end = at + needed - this.#headLength;
    if (this.#headLength === 0 && end <= piece.length) {
      this.#headLength = needed;
      this.#left = left - needed;
      this.#sink.onHead(piece.subarray(at, end));
      return end;
    }
    if (this.#headLength === 0) this.#head = Buffer.alloc(needed);
    const copied = piece.copy(this.#head, this.#headLength, at, end);
    this.#headLength += copied;
    this.#left = left - copied;
    if (this.#headLength === needed) {
      const head = this.#head;
      this.#head = EMPTY;
      this.#sink.onHead(head);
    }
    return at + copied;
  }

  #readContent(piece: Buffer, at: number, left: number): number {
    const end = Math.min(piece.length, at + left);
    this.#left = left - (end - at);
    this.#sink.onContent(piece, at, end);
    return end;
  }

  #end(): void {
    this.#left = undefined;
    this.#offset += this.#framing.headerLength + this.#length;
    this.#sink.onEnd();
  }
}

/** Splits pieces of any size into complete units. */
export class UnitSplitter<Unit> implements UnitSink {
  readonly #framing: UnitFraming;
  readonly #unitOf: (header: Buffer, content: Buffer) => Unit;
  readonly #reader: UnitReader;
  #header = EMPTY;
  #content = EMPTY;
  #units: Unit[] = [];

  constructor(framing: UnitFraming, unitOf: (header: Buffer, content: Buffer) => Unit) {
    this.#framing = framing;
    this.#unitOf = unitOf;
    this.#reader = new UnitReader(framing, this);
  }

  /** Whether all bytes pushed so far form complete units. */
  get isComplete(): boolean {
    return this.#reader.isComplete;
  }

  /** @returns the units that this piece completes */
  push(piece: Buffer): readonly Unit[] {
    this.#units = [];
    this.#reader.read(piece, 0);
    return this.#units;
  }

  onHeader(bytes: Buffer, at: number): number {
    this.#header = Buffer.from(bytes.subarray(at, at + this.#framing.headerLength));
    this.#content = EMPTY;
    return this.#framing.lengthOf(bytes, at);
  }

  onHead(content: Buffer): void {
    this.#content = content;
  }

  onContent(): void {}

  onEnd(): void {
    this.#units.push(this.#unitOf(this.#header, this.#content));
  }
}
