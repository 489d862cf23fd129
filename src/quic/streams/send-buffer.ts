import { RangeSet } from '../range-set.ts';

const NOTHING: Buffer = Buffer.alloc(0);

/** A part of a stream, as a STREAM or CRYPTO frame carries it. */
export interface StreamData {
  readonly offset: number;
  readonly data: Buffer;
  /** Whether the stream ends after it (FIN). */
  readonly isLast: boolean;
}

/** Bytes that were appended at once. They are not copied. */
interface Chunk {
  readonly start: number;
  readonly bytes: Buffer;
}

/** State of FIN: it is `waiting` before it is sent, and again after its loss. */
type Fin = 'none' | 'waiting' | 'sent' | 'acknowledged';

/** The bytes that a stream sends (RFC 9000 2.2). They are kept until acknowledged, and sent again if lost. */
export class SendBuffer {
  readonly #chunks: Chunk[] = [];
  /** Lost ranges, to be sent again. */
  readonly #lost = new RangeSet();
  /** Acknowledged ranges above `#start`. */
  readonly #acknowledged = new RangeSet();
  /** All bytes before this offset are acknowledged. */
  #start = 0;
  #sent = 0;
  #end = 0;
  #fin: Fin = 'none';

  /** Bytes appended. */
  get end(): number {
    return this.#end;
  }

  /** Bytes sent at least once: the final size of a RESET_STREAM (RFC 9000 19.4). */
  get sent(): number {
    return this.#sent;
  }

  /** Whether nothing may be appended any more. */
  get isEnded(): boolean {
    return this.#fin !== 'none';
  }

  /** Whether FIN and all bytes were sent. Bytes may be lost since. */
  get isSent(): boolean {
    return this.#sent === this.#end && (this.#fin === 'sent' || this.#fin === 'acknowledged');
  }

  /** Whether FIN and all bytes were acknowledged. */
  get isAcknowledged(): boolean {
    return this.#fin === 'acknowledged' && this.#start === this.#end;
  }

  /** Whether there is something to send that needs no flow-control credit: lost bytes, or only FIN. */
  get needsNoCredit(): boolean {
    return !this.#lost.isEmpty || (this.#fin === 'waiting' && this.#sent === this.#end);
  }

  /** Offset of what `take` gives next. */
  get nextOffset(): number {
    return this.#lost.first?.start ?? this.#sent;
  }

  /** Appends bytes, which must not change afterwards. */
  append(bytes: Buffer): void {
    if (bytes.length === 0) return;
    this.#chunks.push({ start: this.#end, bytes });
    this.#end += bytes.length;
  }

  /** Ends the stream after what was appended. */
  finish(): void {
    if (this.#fin === 'none') this.#fin = 'waiting';
  }

  /**
   * Takes what to send next, lost bytes first.
   *
   * @param max bytes of data, at least 1
   * @param limit offset up to which new bytes may be sent
   * @returns undefined if there is nothing
   */
  take(max: number, limit = this.#end): StreamData | undefined {
    const lost = this.#lost.first;
    const start = lost?.start ?? this.#sent;
    const sendable = lost?.end ?? Math.max(start, Math.min(limit, this.#end));
    const end = Math.min(start + max, sendable);
    if (end === start && !this.needsNoCredit) return undefined;
    if (lost) this.#lost.remove(start, end);
    else this.#sent = end;
    const isLast = this.#fin !== 'none' && end === this.#end;
    if (isLast && this.#fin === 'waiting') this.#fin = 'sent';
    return { offset: start, data: this.#bytes(start, end), isLast };
  }

  /** Notes an acknowledged range, and frees the chunks that end before the first gap. */
  acknowledge(start: number, end: number, isLast: boolean): void {
    if (isLast) this.#fin = 'acknowledged';
    if (!this.#lost.isEmpty) this.#lost.remove(start, end);
    if (start > this.#start) {
      this.#acknowledged.add(start, end);
      return;
    }
    this.#start = Math.max(this.#start, end);
    for (let next = this.#acknowledged.first; next; next = this.#acknowledged.first) {
      if (next.start > this.#start) break;
      this.#start = Math.max(this.#start, next.end);
      this.#acknowledged.remove(next.start, next.end);
    }
    const chunks = this.#chunks;
    for (let chunk = chunks[0]; chunk; chunk = chunks[0]) {
      if (chunk.start + chunk.bytes.length > this.#start) break;
      chunks.shift();
    }
  }

  /** Notes a lost range: what is not acknowledged of it is sent again. */
  lose(start: number, end: number, isLast: boolean): void {
    if (isLast && this.#fin === 'sent') this.#fin = 'waiting';
    this.#lost.add(Math.max(start, this.#start), end);
    for (const range of this.#acknowledged.within(start, end))
      this.#lost.remove(range.start, range.end);
  }

  /** Drops all bytes and FIN: nothing is sent any more. */
  clear(): void {
    this.#chunks.length = 0;
    this.#lost.clear();
    this.#acknowledged.clear();
    this.#fin = 'none';
    this.#end = this.#sent;
    this.#start = this.#sent;
  }

  #bytes(start: number, end: number): Buffer {
    if (end <= start) return NOTHING;
    const chunks = this.#chunks;
    let at = this.#chunkOf(start);
    const first = chunks[at];
    if (!first) return NOTHING;
    const from = start - first.start;
    if (end - first.start <= first.bytes.length)
      return first.bytes.subarray(from, end - first.start);
    const joined = Buffer.allocUnsafe(end - start);
    let length = first.bytes.copy(joined, 0, from);
    for (let chunk = chunks[++at]; chunk && length < joined.length; chunk = chunks[++at]) {
      length += chunk.bytes.copy(joined, length);
    }
    return joined;
  }

  /** The index of the chunk with the byte of an offset. */
  #chunkOf(offset: number): number {
    const chunks = this.#chunks;
    let low = 0;
    let high = chunks.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >>> 1;
      if ((chunks[middle]?.start ?? 0) <= offset) low = middle;
      else high = middle - 1;
    }
    return low;
  }
}
