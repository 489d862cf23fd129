/** HandshakeType (RFC 9846 4, RFC 5246 7.4). */
export const HandshakeType = {
  clientHello: 1,
  serverHello: 2,
  newSessionTicket: 4,
  encryptedExtensions: 8,
  certificate: 11,
  serverKeyExchange: 12,
  certificateRequest: 13,
  certificateVerify: 15,
  finished: 20,
  keyUpdate: 24,
  messageHash: 254,
} as const;

/** The part of a handshake message that one record carries. */
export interface HandshakePart {
  /** Number of the record. */
  readonly record: number;
  readonly bytes: number;
}

/** A handshake message in cleartext, and how it was split into records (RFC 9846 5.1). */
export interface HandshakeMessage {
  readonly type: number;
  /** Bytes of the body, without the header of 4 bytes; undefined until the header has arrived. */
  readonly length: number | undefined;
  /** The first records that contain bytes of the message, including its header. */
  readonly parts: readonly HandshakePart[];
  readonly partCount: number;
}

/** Bytes of a message's type and length. */
export const HANDSHAKE_HEADER_LENGTH = 4;
/** Maximum bytes of a body that is kept. A longer ClientHello is refused. */
const MAX_BODY = 64 * 1024;
const MAX_MESSAGES = 32;
const MAX_PARTS = 16;
const FIRST_SIZE = 64;
/** Types of messages whose bodies are parsed. */
const KEPT: ReadonlySet<number> = new Set([
  HandshakeType.clientHello,
  HandshakeType.serverHello,
  HandshakeType.newSessionTicket,
  HandshakeType.serverKeyExchange,
]);

/** Reads the handshake messages of one direction from the content of its records. */
export class HandshakeReader {
  readonly #messages: HandshakeMessage[] = [];
  readonly #onMessage: (type: number, body: Buffer) => void;
  #count = 0;
  #length: number | undefined;
  /** The header, and then the body if it is kept. The buffer grows. */
  #bytes = Buffer.alloc(FIRST_SIZE);
  /** Bytes of the message that have arrived, including its header. */
  #read = 0;
  #parts: { record: number; bytes: number }[] = [];
  #partCount = 0;
  #lastRecord = -1;

  /** @param onMessage called with each complete message whose body is parsed */
  constructor(onMessage: (type: number, body: Buffer) => void) {
    this.#onMessage = onMessage;
  }

  /** The first messages. The last one may be incomplete. */
  get messages(): readonly HandshakeMessage[] {
    return this.#read > 0 && this.#messages.length < MAX_MESSAGES
      ? [...this.#messages, this.#message()]
      : this.#messages;
  }

  /** Number of complete messages. */
  get count(): number {
    return this.#count;
  }

  push(content: Buffer, record: number): void {
    let at = 0;
    while (at < content.length) {
      const end = Math.min(content.length, at + this.#missing());
      this.#add(content.subarray(at, end), record);
      at = end;
      if (this.#length !== undefined && this.#read === HANDSHAKE_HEADER_LENGTH + this.#length)
        this.#finish();
    }
  }

  /** Bytes missing up to the end of the header, and then up to the end of the message. */
  #missing(): number {
    return HANDSHAKE_HEADER_LENGTH + (this.#length ?? 0) - this.#read;
  }

  #add(bytes: Buffer, record: number): void {
    if (record !== this.#lastRecord || this.#read === 0) {
      this.#lastRecord = record;
      if (this.#partCount++ < MAX_PARTS) this.#parts.push({ record, bytes: 0 });
    }
    const part = this.#parts[this.#partCount - 1];
    if (part) part.bytes += bytes.length;
    if (this.#read + bytes.length <= this.#keptLength()) this.#keep(bytes);
    this.#read += bytes.length;
    if (this.#length === undefined && this.#read === HANDSHAKE_HEADER_LENGTH) {
      this.#length = this.#bytes.readUIntBE(1, 3);
    }
  }

  /** Bytes of the message that are kept, including its header. */
  #keptLength(): number {
    const length = this.#length ?? 0;
    const isKept = KEPT.has(this.#bytes.readUInt8(0)) && length <= MAX_BODY;
    return HANDSHAKE_HEADER_LENGTH + (isKept ? length : 0);
  }

  /** Copies bytes, because the piece belongs to the socket. */
  #keep(bytes: Buffer): void {
    const length = this.#read + bytes.length;
    if (length > this.#bytes.length) {
      const larger = Buffer.alloc(Math.max(length, 2 * this.#bytes.length));
      this.#bytes.copy(larger);
      this.#bytes = larger;
    }
    bytes.copy(this.#bytes, this.#read);
  }

  #message(): HandshakeMessage {
    return {
      type: this.#bytes.readUInt8(0),
      length: this.#length,
      parts: this.#parts,
      partCount: this.#partCount,
    };
  }

  #finish(): void {
    if (this.#messages.length < MAX_MESSAGES) this.#messages.push(this.#message());
    this.#count++;
    const type = this.#bytes.readUInt8(0);
    const body = this.#bytes.subarray(HANDSHAKE_HEADER_LENGTH, this.#read);
    const isKept = KEPT.has(type) && body.length === this.#length;
    this.#bytes = Buffer.alloc(FIRST_SIZE);
    this.#length = undefined;
    this.#read = 0;
    this.#parts = [];
    this.#partCount = 0;
    if (isKept) this.#onMessage(type, body);
  }
}
