import { GrowingBuffer } from '../../wire/growing-buffer.ts';
import { HANDSHAKE_HEADER_LENGTH, HandshakeType } from '../../wire/tls/handshake-reader.ts';
import { handshakeTypeName } from '../../wire/tls/names.ts';
import type { PacketNumberSpace } from '../packet-number-space.ts';
import { alertError, transportError } from './failure.ts';

/** Encryption levels that carry handshake messages (RFC 9001 4.1.4). Each has a packet number space of its own. */
export type Level = PacketNumberSpace;

/** A handshake message (RFC 9846 4). */
export interface Message {
  readonly type: number;
  /** Without the header. */
  readonly body: Buffer;
  /** With the header, as the transcript has it. */
  readonly bytes: Buffer;
}

const KIB = 1024;
/** Maximum bytes of a body. */
const MAX_CERTIFICATE = 128 * KIB;
const MAX_OTHER = 64 * KIB;
const MAX_MESSAGE = HANDSHAKE_HEADER_LENGTH + MAX_CERTIFICATE;

/** Finds the handshake messages in the CRYPTO streams, of which one is read at a time. */
export class MessageReader {
  readonly #isExpected: (type: number) => boolean;
  readonly #onMessage: (message: Message) => void;
  /** The start of a message. */
  readonly #pending = new GrowingBuffer(() => {});
  /** Bytes of the pending message; only those of its header, until that is complete. */
  #needed = HANDSHAKE_HEADER_LENGTH;
  /** Level whose stream is read. */
  level: Level = 'initial';

  /**
   * @param isExpected whether a message of a type may come next
   * @param onMessage called with each complete message. It may change the level.
   */
  constructor(isExpected: (type: number) => boolean, onMessage: (message: Message) => void) {
    this.#isExpected = isExpected;
    this.#onMessage = onMessage;
  }

  /**
   * Reads bytes of a stream, in order. Complete messages are views of them.
   *
   * @throws HandshakeError, also what `onMessage` throws
   */
  push(level: Level, bytes: Buffer): void {
    for (let at = 0; at < bytes.length;) {
      // All of a level is consumed before the keys of the next one are installed (RFC 9001 4.1.3).
      if (level !== this.level) {
        const reason = `CRYPTO data of the ${level} level, but ${this.level} is read`;
        throw transportError('PROTOCOL_VIOLATION', 'RFC 9001 4.1.3', reason);
      }
      at = this.#whole(bytes, at) ?? this.#piece(bytes, at);
    }
  }

  /** Reads a message of which all bytes are there. @returns the offset after it, or undefined */
  #whole(bytes: Buffer, at: number): number | undefined {
    const bodyAt = at + HANDSHAKE_HEADER_LENGTH;
    if (this.#pending.length > 0 || bodyAt > bytes.length) return undefined;
    const end = bodyAt + this.#lengthOf(bytes, at);
    if (end > bytes.length) return undefined;
    this.#emit(bytes.subarray(at, end));
    return end;
  }

  /** Keeps bytes up to the end of the header, and then of the message. @returns the offset after them */
  #piece(bytes: Buffer, at: number): number {
    const end = Math.min(bytes.length, at + this.#needed - this.#pending.length);
    this.#pending.append(bytes, MAX_MESSAGE, at, end);
    if (this.#pending.length < this.#needed) return end;
    if (this.#needed === HANDSHAKE_HEADER_LENGTH) {
      const header = this.#pending.take();
      this.#needed += this.#lengthOf(header, 0);
      this.#pending.append(header, MAX_MESSAGE);
    }
    if (this.#pending.length === this.#needed) {
      this.#needed = HANDSHAKE_HEADER_LENGTH;
      this.#emit(this.#pending.take());
    }
    return end;
  }

  /** Length of the body of a message whose header is complete. */
  #lengthOf(bytes: Buffer, at: number): number {
    const type = bytes.readUInt8(at);
    if (!this.#isExpected(type)) {
      const isKeyUpdate = type === HandshakeType.keyUpdate;
      const section = isKeyUpdate ? 'RFC 9001 6' : 'RFC 9846 4';
      throw alertError('unexpected_message', section, `${handshakeTypeName(type)} is not expected`);
    }
    const length = bytes.readUIntBE(at + 1, 3);
    if (length > (type === HandshakeType.certificate ? MAX_CERTIFICATE : MAX_OTHER)) {
      const reason = `${handshakeTypeName(type)} of ${length} bytes is too large`;
      throw transportError('CRYPTO_BUFFER_EXCEEDED', 'RFC 9000 7.5', reason);
    }
    return length;
  }

  #emit(bytes: Buffer): void {
    this.#onMessage({
      type: bytes.readUInt8(0),
      body: bytes.subarray(HANDSHAKE_HEADER_LENGTH),
      bytes,
    });
  }
}
