import { createCipheriv, createSecretKey, type Cipher, type KeyObject } from 'node:crypto';
import { FirstByte, SAMPLE_LENGTH, SAMPLE_OFFSET } from './packet.ts';
import type { PacketCipher } from './packet-keys.ts';
import type { PacketNumberLength } from './packet-number.ts';

const FIVE_ZEROS: Buffer = Buffer.alloc(5);

/** Bits of the first byte that are protected (RFC 9001 5.4.1). */
const LONG_BITS = FirstByte.reservedLong | FirstByte.numberLength;
const SHORT_BITS = FirstByte.reservedShort | FirstByte.keyPhase | FirstByte.numberLength;

/** Computes the masks that protect the packet number and some bits of the first byte (RFC 9001 5.4). */
export class HeaderProtection {
  readonly #key: KeyObject;
  /** AES-ECB, which encrypts the samples of all packets; undefined for ChaCha20, whose nonce is the sample (RFC 9001 5.4.4). */
  readonly #ecb: Cipher | undefined;

  constructor({ header }: PacketCipher, key: Buffer) {
    this.#key = createSecretKey(key);
    this.#ecb = header === 'chacha20' ? undefined : createCipheriv(header, this.#key, null);
  }

  /** The mask of a packet whose payload is encrypted. At least five bytes, of which five are used. */
  mask(bytes: Buffer, numberOffset: number): Buffer {
    const sampleOffset = numberOffset + SAMPLE_OFFSET;
    const sample = bytes.subarray(sampleOffset, sampleOffset + SAMPLE_LENGTH);
    return (
      this.#ecb?.update(sample) ?? createCipheriv('chacha20', this.#key, sample).update(FIVE_ZEROS)
    );
  }
}

/** Applies a mask to the header of a packet, or removes it. @param length bytes of the packet number */
export function applyMask(
  mask: Buffer,
  bytes: Buffer,
  start: number,
  numberOffset: number,
  length: PacketNumberLength,
): void {
  const first = bytes.readUInt8(start);
  const bits = (first & FirstByte.longHeader) === 0 ? SHORT_BITS : LONG_BITS;
  bytes.writeUInt8(first ^ (mask.readUInt8() & bits), start);
  const number = bytes.readUIntBE(numberOffset, length) ^ mask.readUIntBE(1, length);
  bytes.writeUIntBE(number >>> 0, numberOffset, length);
}

const NUMBER_LENGTHS = [1, 2, 3, 4] as const;

/** Bytes of the packet number, from the first byte (RFC 9000 17.2, 17.3.1). @param mask that of the packet if it is protected */
export function numberLengthOf(first: number, mask?: Buffer): PacketNumberLength {
  return NUMBER_LENGTHS[(first ^ (mask?.readUInt8() ?? 0)) & FirstByte.numberLength] ?? 1;
}
