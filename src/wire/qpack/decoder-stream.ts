import type { PrimitiveReader } from '../field-compression/primitive-reader.ts';
import type { Violation } from '../http2/violation.ts';
import { InstructionReader } from './instruction-reader.ts';
import { decoderStreamError } from './violation.ts';

/**
 * Reads the decoder stream of a peer (RFC 9204 4.4) for an encoder that inserts nothing: there are no insertions or
 * sections to be acknowledged, and cancelled streams have no references.
 */
export class DecoderStream {
  readonly #instructions = new InstructionReader(readInstruction, decoderStreamError, 0);

  /** Reads a piece of the stream. Must not be called again after a violation. */
  read(piece: Buffer): Violation | undefined {
    return this.#instructions.read(piece);
  }
}

function readInstruction(
  reader: PrimitiveReader,
  bytes: Buffer,
  at: number,
  end: number,
): number | Violation {
  const first = bytes[at] ?? 0;
  const isAcknowledgment = (first & 0x80) !== 0;
  const value = reader.integer(bytes, at, end, isAcknowledgment ? 7 : 6);
  if (value < 0) return value;
  if (isAcknowledgment) {
    const reason = `a Section Acknowledgment of stream ${value}, which has none to be acknowledged`;
    return decoderStreamError('RFC 9204 4.4.1', reason);
  }
  if ((first & 0x40) !== 0) return reader.end;
  return decoderStreamError(
    'RFC 9204 4.4.3',
    `an Insert Count Increment of ${value} without insertions`,
  );
}
