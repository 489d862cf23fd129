import { FAILED, MORE, PrimitiveReader } from '../field-compression/primitive-reader.ts';
import { GrowingBuffer } from '../growing-buffer.ts';
import type { Violation } from '../http2/violation.ts';

/**
 * Reads an instruction from at least one byte.
 *
 * @param reader whose fault says why the result is `FAILED`
 * @returns the offset after the instruction, `MORE`, `FAILED`, or the violation of a complete one
 */
export type ReadInstruction = (
  reader: PrimitiveReader,
  bytes: Buffer,
  at: number,
  end: number,
) => number | Violation;

/**
 * Finds the instructions of an encoder or decoder stream (RFC 9204 4.2) in pieces of any size. Keeps one incomplete
 * instruction, which is read again only when its next string can be complete.
 */
export class InstructionReader {
  readonly #readInstruction: ReadInstruction;
  readonly #violationOf: (section: string, reason: string) => Violation;
  readonly #reader: PrimitiveReader;
  readonly #rest = new GrowingBuffer(() => undefined);
  /** Length that `#rest` must reach. */
  #needed = 0;

  /** @param maxString maximum encoded bytes of a string */
  constructor(
    readInstruction: ReadInstruction,
    violationOf: (section: string, reason: string) => Violation,
    maxString: number,
  ) {
    this.#readInstruction = readInstruction;
    this.#violationOf = violationOf;
    this.#reader = new PrimitiveReader({ integerBits: 62, stringLength: maxString });
  }

  /** Bytes of the incomplete instruction. */
  get bytesKept(): number {
    return this.#rest.length;
  }

  /** Reads a piece. Must not be called again after a violation. */
  read(piece: Buffer): Violation | undefined {
    if (this.#rest.length === 0) return this.#readAll(piece);
    this.#rest.append(piece, Infinity);
    return this.#rest.length < this.#needed ? undefined : this.#readAll(this.#rest.take());
  }

  #readAll(bytes: Buffer): Violation | undefined {
    const reader = this.#reader;
    const end = bytes.length;
    for (let at = 0; at < end;) {
      reader.needed = 0;
      const next = this.#readInstruction(reader, bytes, at, end);
      if (typeof next !== 'number') return next;
      if (next === MORE) {
        this.#needed = reader.needed - at;
        this.#rest.append(bytes, Infinity, at);
        return undefined;
      }
      if (next === FAILED) {
        const { section = '', reason = '' } = reader.fault ?? {};
        return this.#violationOf(section, reason);
      }
      at = next;
    }
    return undefined;
  }
}
