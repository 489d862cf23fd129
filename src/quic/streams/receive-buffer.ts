import { violation, type Violation } from '../../wire/quic/violation.ts';

/** Pieces below this size are counted, and joined with the piece before them: their overhead is about as large as their data. */
const SMALL = 256;

/** Small pieces are joined up to this size. */
const MAX_JOINED = 4096;

/** Maximum small pieces that wait on a connection. Full datagrams make none, whatever is lost. */
const MAX_SMALL_PIECES = 2048;

/** The number of small pieces in the receive buffers of a connection (RFC 9000 21.7). */
export class SmallPieces {
  count = 0;
}

/** Consecutive bytes that were received and not read. Pieces are in ascending order and do not overlap. */
interface Piece {
  /** Offset of the first byte. */
  readonly start: number;
  /** Offset after the last byte. */
  end: number;
  /** The bytes from `start`. The buffer may be longer than the piece, to append small ones. */
  bytes: Buffer;
  readonly isSmall: boolean;
}

/**
 * Puts a stream together from pieces of any offset, order, number and overlap (RFC 9000 2.2). Memory is bounded by the
 * received bytes, not by their offsets. A byte that is received again is ignored, also if it differs.
 */
export class ReceiveBuffer {
  readonly #small: SmallPieces;
  readonly #pieces: Piece[] = [];
  #offset = 0;
  #end = 0;
  /** Bytes in `#pieces`. */
  #waiting = 0;
  #finalSize: number | undefined;
  #discards = false;

  constructor(small = new SmallPieces()) {
    this.#small = small;
  }

  /** Number of bytes read or discarded: the offset of the next one. */
  get offset(): number {
    return this.#offset;
  }

  /** Offset after the highest byte received. */
  get end(): number {
    return this.#end;
  }

  /** Bytes of the whole stream (RFC 9000 4.5); undefined until known. */
  get finalSize(): number | undefined {
    return this.#finalSize;
  }

  /** Whether all bytes up to the final size were received. */
  get isComplete(): boolean {
    return this.#offset + this.#waiting === this.#finalSize;
  }

  /** Whether all bytes up to the final size were read or discarded. */
  get isRead(): boolean {
    return this.#offset === this.#finalSize;
  }

  /** Whether `read` gives bytes now. */
  get isReadable(): boolean {
    return this.#pieces[0]?.start === this.#offset;
  }

  /** The violation of a frame that ends at an offset (RFC 9000 4.5). @param isFinal whether that is the final size */
  sizeViolation(end: number, isFinal: boolean): Violation | undefined {
    if (this.#finalSize !== undefined && end > this.#finalSize) {
      return finalSizeError(`${end} bytes after a final size of ${this.#finalSize}`);
    }
    if (isFinal && end < this.#end) {
      return finalSizeError(`a final size of ${end} after ${this.#end} bytes`);
    }
    return undefined;
  }

  /** Adds the data of a frame. It may be kept without a copy, so it must not change. @param isLast whether the frame has FIN */
  receive(offset: number, data: Buffer, isLast = false): Violation | undefined {
    const end = offset + data.length;
    const wrong = this.sizeViolation(end, isLast);
    if (wrong) return wrong;
    if (isLast) this.#finalSize = end;
    this.#end = Math.max(this.#end, end);
    if (!this.#discards) return this.#insert(offset, data);
    this.#offset = this.#end;
    return undefined;
  }

  /** The next bytes in order, without joining pieces; undefined if there are none yet. */
  read(): Buffer | undefined {
    const first = this.#pieces[0];
    if (first?.start !== this.#offset) return undefined;
    this.#pieces.shift();
    this.#forget(first);
    this.#offset = first.end;
    return contentOf(first);
  }

  /** Drops all bytes that were not read, and all that will be received. */
  discard(): void {
    this.#discards = true;
    for (const piece of this.#pieces) this.#forget(piece);
    this.#pieces.length = 0;
    this.#offset = this.#end;
  }

  #insert(offset: number, data: Buffer): Violation | undefined {
    const pieces = this.#pieces;
    let start = Math.max(offset, this.#offset);
    let end = offset + data.length;
    let from = this.#firstBeyond(start);
    const before = pieces[from];
    if (before && before.start <= start) {
      start = before.end;
      from++;
    }
    // The pieces that it covers are merged into it. So a frame adds at most one piece.
    let to = from;
    let covered = 0;
    for (let piece = pieces[to]; piece && piece.end <= end; piece = pieces[++to]) {
      covered += piece.end - piece.start;
    }
    end = Math.min(end, pieces[to]?.start ?? end);
    if (end - start <= covered) return undefined;

    const bytes = partOf(data, start - offset, end - offset);
    if (to === from && this.#join(pieces[from - 1], start, bytes)) return undefined;
    const isSmall = bytes.length < SMALL;
    if (isSmall && this.#small.count >= MAX_SMALL_PIECES) {
      const reason = `${MAX_SMALL_PIECES} small pieces of streams with gaps between them`;
      return violation('RFC 9000 21.7', reason, 'INTERNAL_ERROR');
    }
    const kept = to === from ? ownMemory(bytes) : this.#merge(start, bytes, from, to);
    const piece: Piece = { start, end, bytes: kept, isSmall };
    if (from === pieces.length) pieces.push(piece);
    else pieces.splice(from, 0, piece);
    if (isSmall) this.#small.count++;
    this.#waiting += bytes.length;
    return undefined;
  }

  /** A copy of bytes with those of the pieces that they cover, which are removed. */
  #merge(start: number, bytes: Buffer, from: number, to: number): Buffer {
    const merged = copyOf(bytes);
    for (const piece of this.#pieces.splice(from, to - from)) {
      contentOf(piece).copy(merged, piece.start - start);
      this.#forget(piece);
    }
    return merged;
  }

  /** Appends a small piece to the one before it, if they touch. */
  #join(before: Piece | undefined, start: number, bytes: Buffer): boolean {
    if (before?.end !== start || bytes.length >= SMALL) return false;
    const used = before.end - before.start;
    const needed = used + bytes.length;
    if (needed > before.bytes.length) {
      if (needed > MAX_JOINED) return false;
      const larger = Buffer.allocUnsafeSlow(Math.min(MAX_JOINED, 2 * needed));
      before.bytes.copy(larger, 0, 0, used);
      before.bytes = larger;
    }
    bytes.copy(before.bytes, used);
    before.end += bytes.length;
    this.#waiting += bytes.length;
    return true;
  }

  /** The index of the first piece that ends after an offset. */
  #firstBeyond(offset: number): number {
    const pieces = this.#pieces;
    // Most pieces follow all others.
    let low = (pieces.at(-1)?.end ?? 0) <= offset ? pieces.length : 0;
    let high = pieces.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((pieces[middle]?.end ?? 0) > offset) high = middle;
      else low = middle + 1;
    }
    return low;
  }

  #forget(piece: Piece): void {
    this.#waiting -= piece.end - piece.start;
    if (piece.isSmall) this.#small.count--;
  }
}

const finalSizeError = (reason: string): Violation =>
  violation('RFC 9000 4.5', reason, 'FINAL_SIZE_ERROR');

/** The bytes of a piece, without the room after them. */
const contentOf = ({ start, end, bytes }: Piece): Buffer => partOf(bytes, 0, end - start);

/** A part of the bytes: the same object if that is all of them. */
function partOf(bytes: Buffer, start: number, end: number): Buffer {
  return start === 0 && end === bytes.length ? bytes : bytes.subarray(start, end);
}

/** The bytes, copied if they would keep more than twice their size in memory: one byte must not keep its datagram. */
function ownMemory(bytes: Buffer): Buffer {
  return 2 * bytes.length >= bytes.buffer.byteLength ? bytes : copyOf(bytes);
}

/** A copy outside of Node's pool, all of which the smallest part would keep in memory. */
function copyOf(bytes: Buffer): Buffer {
  const copy = Buffer.allocUnsafeSlow(bytes.length);
  bytes.copy(copy);
  return copy;
}
