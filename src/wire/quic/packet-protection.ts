import { createCipheriv, createDecipheriv, createSecretKey, type KeyObject } from 'node:crypto';
import { applyMask, HeaderProtection, numberLengthOf } from './header-protection.ts';
import type { QuicVersion, Role } from './names.ts';
import {
  FirstByte,
  SAMPLE_OFFSET,
  TAG_LENGTH,
  type LongPacket,
  type ShortPacket,
} from './packet.ts';
import {
  headerKey,
  INITIAL_CIPHER,
  initialSecret,
  IV_LENGTH,
  nextSecret,
  packetKeys,
  type PacketCipher,
} from './packet-keys.ts';
import { decodePacketNumber } from './packet-number.ts';
import type { PacketWriter } from './packet-writer.ts';
import { violation, type Violation } from './violation.ts';

/** A packet whose protection was removed. */
export interface OpenedPacket {
  readonly number: number;
  readonly keyPhase: 0 | 1;
  /** The frames. It shares no memory with the datagram. */
  readonly payload: Buffer;
  /** Set if reserved bits are not 0 (RFC 9000 17.2, 17.3.1). */
  readonly violation: Violation | undefined;
}

const AEAD_OPTIONS = { authTagLength: TAG_LENGTH };

/** The keys of packets in one direction (RFC 9001 5). */
export class PacketProtection {
  readonly #version: QuicVersion;
  readonly #cipher: PacketCipher;
  readonly #secret: Uint8Array;
  /** A KeyObject, because Node 24 takes 8 µs more per packet for a key in a Buffer. */
  readonly #key: KeyObject;
  readonly #iv: Buffer;
  readonly #header: HeaderProtection;
  /** Overwritten for each packet. */
  readonly #nonce = Buffer.alloc(IV_LENGTH);
  #sealed = 0;

  private constructor(
    version: QuicVersion,
    cipher: PacketCipher,
    secret: Uint8Array,
    header: HeaderProtection,
  ) {
    this.#version = version;
    this.#cipher = cipher;
    this.#secret = secret;
    this.#header = header;
    const { key, iv } = packetKeys(version, cipher, secret);
    this.#key = createSecretKey(key);
    this.#iv = iv;
    this.#iv.copy(this.#nonce);
  }

  static of(version: QuicVersion, cipher: PacketCipher, secret: Uint8Array): PacketProtection {
    const header = new HeaderProtection(cipher, headerKey(version, cipher, secret));
    return new PacketProtection(version, cipher, secret, header);
  }

  /** The keys of Initial packets. @param clientId as for `initialSecret` */
  static initial(version: QuicVersion, clientId: Uint8Array, sender: Role): PacketProtection {
    const secret = initialSecret(version, clientId, sender);
    return PacketProtection.of(version, INITIAL_CIPHER, secret);
  }

  /** The keys after a key update (RFC 9001 6.1). */
  next(): PacketProtection {
    const secret = nextSecret(this.#version, this.#cipher, this.#secret);
    return new PacketProtection(this.#version, this.#cipher, secret, this.#header);
  }

  get cipher(): PacketCipher {
    return this.#cipher;
  }

  /** Packets that were sealed with these keys. */
  get sealed(): number {
    return this.#sealed;
  }

  /**
   * Protects the last packet of the writer in place, and writes its Length and its tag. A payload that is too short for a
   * sample gets PADDING frames (RFC 9001 5.4.2).
   *
   * @param start offset of the packet
   * @param payloadStart offset after the packet number
   */
  seal(writer: PacketWriter, start: number, payloadStart: number, number: number): void {
    const first = writer.buffer.readUInt8(start);
    const numberLength = numberLengthOf(first);
    const numberOffset = payloadStart - numberLength;
    const missing = numberOffset + SAMPLE_OFFSET - writer.length;
    if (missing > 0) writer.zeros(missing);
    const payloadEnd = writer.length;
    writer.reserve(TAG_LENGTH);
    const bytes = writer.buffer;
    if ((first & FirstByte.longHeader) !== 0) {
      bytes.writeUInt16BE(0x4000 + writer.length - numberOffset, numberOffset - 2);
    }
    const plaintextLength = payloadEnd - payloadStart;
    const cipher = this.#encryption(number);
    cipher.setAAD(bytes.subarray(start, payloadStart), { plaintextLength });
    bytes.set(cipher.update(bytes.subarray(payloadStart, payloadEnd)), payloadStart);
    cipher.final();
    bytes.set(cipher.getAuthTag(), payloadEnd);
    const mask = this.#header.mask(bytes, numberOffset);
    applyMask(mask, bytes, start, numberOffset, numberLength);
    this.#sealed++;
  }

  /**
   * Removes the protection of a packet. The datagram is unchanged afterwards.
   *
   * @param largest the largest number of an authentic packet in the packet number space; -1 if there is none
   * @param choose the keys by key phase and packet number; by default these
   * @returns undefined if the packet is not authentic
   */
  open(
    datagram: Buffer,
    packet: LongPacket | ShortPacket,
    largest: number,
    choose?: (keyPhase: 0 | 1, number: number) => PacketProtection | undefined,
  ): OpenedPacket | undefined {
    const { start, numberOffset, end } = packet;
    const mask = this.#header.mask(datagram, numberOffset);
    const length = numberLengthOf(datagram.readUInt8(start), mask);
    applyMask(mask, datagram, start, numberOffset, length);
    const first = datagram.readUInt8(start);
    const payloadStart = numberOffset + length;
    const truncated = datagram.readUIntBE(numberOffset, length);
    const number = decodePacketNumber(truncated, length, largest);
    const keyPhase = packet.kind === '1-rtt' && (first & FirstByte.keyPhase) !== 0 ? 1 : 0;
    const keys = choose ? choose(keyPhase, number) : this;
    const payload = keys && keys.#decrypt(datagram, start, payloadStart, end, number);
    applyMask(mask, datagram, start, numberOffset, length);
    return payload && { number, keyPhase, payload, violation: reservedBits(packet, first) };
  }

  #decrypt(
    bytes: Buffer,
    start: number,
    payloadStart: number,
    end: number,
    number: number,
  ): Buffer | undefined {
    const payloadEnd = end - TAG_LENGTH;
    const plaintextLength = payloadEnd - payloadStart;
    const decipher = this.#decryption(number);
    decipher.setAAD(bytes.subarray(start, payloadStart), { plaintextLength });
    decipher.setAuthTag(bytes.subarray(payloadEnd, end));
    const payload = decipher.update(bytes.subarray(payloadStart, payloadEnd));
    try {
      decipher.final();
    } catch {
      return undefined;
    }
    return payload;
  }

  #encryption(number: number) {
    const { aead } = this.#cipher;
    const nonce = this.#nonceOf(number);
    return aead === 'chacha20-poly1305'
      ? createCipheriv(aead, this.#key, nonce, AEAD_OPTIONS)
      : createCipheriv(aead, this.#key, nonce, AEAD_OPTIONS);
  }

  #decryption(number: number) {
    const { aead } = this.#cipher;
    const nonce = this.#nonceOf(number);
    return aead === 'chacha20-poly1305'
      ? createDecipheriv(aead, this.#key, nonce, AEAD_OPTIONS)
      : createDecipheriv(aead, this.#key, nonce, AEAD_OPTIONS);
  }

  /** The IV, combined with the packet number by exclusive or (RFC 9001 5.3). */
  #nonceOf(number: number): Buffer {
    const high = Math.floor(number / 2 ** 32);
    this.#nonce.writeUInt32BE((this.#iv.readUInt32BE(4) ^ high) >>> 0, 4);
    this.#nonce.writeUInt32BE((this.#iv.readUInt32BE(8) ^ number) >>> 0, 8);
    return this.#nonce;
  }
}

function reservedBits({ kind }: LongPacket | ShortPacket, first: number): Violation | undefined {
  const isShort = kind === '1-rtt';
  const bits = isShort ? FirstByte.reservedShort : FirstByte.reservedLong;
  if ((first & bits) === 0) return undefined;
  return violation(isShort ? 'RFC 9000 17.3.1' : 'RFC 9000 17.2', 'reserved bits that are not 0');
}
