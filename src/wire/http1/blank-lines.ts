const LF_CR_LF = Buffer.from('\n\r\n');
const LF_LF = Buffer.from('\n\n');
const CR = 0x0d;
const LF = 0x0a;
/** Number of bytes searched in JavaScript first: starting a native search costs more than searching a short section. */
const NEAR = 512;

/** Where the bytes so far end: within a line, at the start of one, or after a CR at the start of one. */
type Position = 'in-line' | 'line-start' | 'after-cr';

/**
 * Finds the empty line that ends a section, in pieces of any size. A piece is searched once for each form of line end,
 * however many sections it contains.
 */
export class BlankLines {
  #position: Position = 'in-line';
  #nextCrLf = -1;
  #nextLf = -1;

  /** Call before each piece. */
  newPiece(): void {
    this.#nextCrLf = -1;
    this.#nextLf = -1;
  }

  /** Call before each section. */
  newSection(position: 'in-line' | 'line-start'): void {
    this.#position = position;
  }

  /** Searches from `at`. @returns offset after the empty line; -1 if it does not end in this piece */
  end(piece: Buffer, at: number): number {
    if (this.#position !== 'in-line') {
      const next = this.#position === 'line-start' && piece[at] === CR ? at + 1 : at;
      if (next === piece.length) {
        this.#position = 'after-cr';
        return -1;
      }
      if (piece[next] === LF) return next + 1;
    }
    const end = this.#find(piece, at);
    if (end === -1) this.#position = positionAfter(piece, at);
    return end;
  }

  #find(piece: Buffer, from: number): number {
    const at = Math.min(piece.length, from + NEAR);
    // Every second byte is enough: around an empty line, two or three bytes in a row are CR or LF.
    for (let near = from + 1; near < at; near += 2) {
      if ((piece[near] ?? 0) > CR) continue;
      const line = piece[near - 1] === LF ? near : near + 1;
      if (piece[line - 1] !== LF) continue;
      const next = piece[line] === CR ? line + 1 : line;
      if (piece[next] === LF) return next + 1;
    }
    if (this.#nextCrLf < at) this.#nextCrLf = positionOf(piece.indexOf(LF_CR_LF, at));
    if (this.#nextLf < at) this.#nextLf = positionOf(piece.indexOf(LF_LF, at));
    const end = Math.min(this.#nextCrLf + LF_CR_LF.length, this.#nextLf + LF_LF.length);
    return end === Infinity ? -1 : end;
  }
}

function positionOf(index: number): number {
  return index === -1 ? Infinity : index;
}

function positionAfter(piece: Buffer, at: number): Position {
  const last = piece.length - 1;
  if (piece[last] === LF) return 'line-start';
  return piece[last] === CR && last > at && piece[last - 1] === LF ? 'after-cr' : 'in-line';
}
