/** Bytes as sent, in latin1, of which a part may have been left out. */
export interface RawText {
  /** The beginning. */
  readonly text: string;
  /** In bytes, with what was left out. */
  readonly length: number;
}

/** Pieces after which their text is copied. */
const MAX_JOINS = 256;

/** Collects the section or line that is being read: its beginning in latin1, and the length of all of it. */
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

  /** @param limit of the whole text; bytes beyond it are only counted */
  append(piece: Buffer, at: number, end: number, limit: number): void {
    const room = limit - this.#text.length;
    if (room > 0 && end > at) {
      const text = piece.toString('latin1', at, Math.min(end, at + room));
      if (this.#text === '') this.#text = text;
      else {
        this.#text += text;
        this.#joins++;
        // V8 keeps joined strings as a tree, which takes far more memory if the pieces are small.
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

/** Copies what is kept of a long text: a slice would keep all of it in memory. */
export function shortened(text: string, limit: number): string {
  return text.length <= limit ? text : copyOf(text.slice(0, limit));
}

function copyOf(text: string): string {
  return Buffer.from(text, 'latin1').toString('latin1');
}
