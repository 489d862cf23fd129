/** Bytes as sent, in Latin-1. The end may be missing. */
export interface RawText {
  /** The first bytes. */
  readonly text: string;
  /** Number of bytes, including those not in `text`. */
  readonly length: number;
}

/** Number of joins after which the text is copied. */
const MAX_JOINS = 256;

/** Collects a section or line that is being read: its beginning in Latin-1, and its full length. */
export class TextBuffer implements RawText {
  #text = '';
  #length = 0;
  #joins = 0;

  get text(): string {
    return this.#text;
  }

  get length(): number {
    return this.#length;
  }

  /** @param limit maximum bytes of text kept; further ones are only counted */
  append(piece: Buffer, at: number, end: number, limit: number): void {
    const room = limit - this.#text.length;
    if (room > 0 && end > at) {
      const text = piece.toString('latin1', at, Math.min(end, at + room));
      if (this.#text === '') this.#text = text;
      else {
        this.#text += text;
        this.#joins++;
        // V8 keeps joined strings as a tree. With small pieces, its nodes take more memory than the text.
        if (this.#joins % MAX_JOINS === 0) this.#text = copyOf(this.#text);
      }
    }
    this.#length += end - at;
  }

  clear(): void {
    this.#text = '';
    this.#length = 0;
  }
}

/** Copies the beginning of a long text, because a slice would retain all of it. */
export function shortened(text: string, limit: number): string {
  return text.length <= limit ? text : copyOf(text.slice(0, limit));
}

function copyOf(text: string): string {
  return Buffer.from(text, 'latin1').toString('latin1');
}
