/** HandshakeType (RFC 8446 4, RFC 5246 7.4). */
export const HandshakeType = {
  clientHello: 1,
  serverHello: 2,
  newSessionTicket: 4,
  certificate: 11,
  keyUpdate: 24,
} as const;

/** The part of a handshake message that one record carries. */
export interface HandshakePart {
  /** The number of the record. */
  readonly record: number;
  readonly bytes: number;
}

/** A handshake message in cleartext, and how it was cut into records (RFC 8446 5.1). */
export interface HandshakeMessage {
  readonly type: number;
  /** Bytes of the body, without the header of 4 bytes; undefined until the header has arrived. */
  readonly length: number | undefined;
  /** Records with bytes of it, header included; the first ones. */
  readonly parts: readonly HandshakePart[];
  readonly partCount: number;
}

const HEADER = 4;
/** Longer bodies are not kept; a ClientHello above this is refused. */
const MAX_BODY = 64 * 1024;
const MAX_MESSAGES = 64;
const MAX_PARTS = 64;
/** The bodies that are parsed. */
const KEPT: ReadonlySet<number> = new Set([
  HandshakeType.clientHello,
  HandshakeType.serverHello,
  HandshakeType.newSessionTicket,
]);

/** Reads the handshake messages of one direction from the content of its records. */
export class HandshakeReader {
  readonly #messages: HandshakeMessage[] = [];
  readonly #onMessage: (type: number, body: Buffer) => void;
  #count = 0;
  #type = 0;
  #length: number | undefined;
  /** The header, then the body if it is kept. */
  #parts: Buffer[] = [];
  /** Bytes of the message that have arrived, header included. */
  #read = 0;
  #records: { record: number; bytes: number }[] = [];
  #partCount = 0;

  /** @param onMessage called with each complete message whose body is parsed */
  constructor(onMessage: (type: number, body: Buffer) => void) {
    this.#onMessage = onMessage;
  }

  /** The first messages; the last may be incomplete. */
  get messages(): readonly HandshakeMessage[] {
    return this.#read > 0 && this.#messages.length < MAX_MESSAGES
      ? [...this.#messages, this.#message()]
      : this.#messages;
  }

  /** Complete messages. */
  get count(): number {
    return this.#count;
  }

  push(content: Buffer, record: number): void {
    let at = 0;
    while (at < content.length) {
      const end = Math.min(content.length, at + this.#missing());
      this.#add(content.subarray(at, end), record);
      at = end;
      if (this.#length !== undefined && this.#read === HEADER + this.#length) this.#finish();
    }
  }

  /** Bytes up to the end of the header, then up to the end of the message. */
  #missing(): number {
    return HEADER + (this.#length ?? 0) - this.#read;
  }

  #add(bytes: Buffer, record: number): void {
    const last = this.#records.at(-1);
    if (last?.record === record) last.bytes += bytes.length;
    else {
      if (this.#records.length < MAX_PARTS) this.#records.push({ record, bytes: bytes.length });
      this.#partCount++;
    }
    this.#read += bytes.length;
    const isKept = this.#length === undefined || (KEPT.has(this.#type) && this.#length <= MAX_BODY);
    if (isKept) {
      // The piece belongs to the socket.
      this.#parts.push(Buffer.from(bytes));
    }
    if (this.#length === undefined && this.#read === HEADER) {
      const header = Buffer.concat(this.#parts);
      this.#type = header.readUInt8(0);
      this.#length = header.readUIntBE(1, 3);
    }
  }

  #message(): HandshakeMessage {
    const first = this.#parts[0]?.[0] ?? 0;
    return { type: first, length: this.#length, parts: this.#records, partCount: this.#partCount };
  }

  #finish(): void {
    if (this.#messages.length < MAX_MESSAGES) this.#messages.push(this.#message());
    this.#count++;
    const body = Buffer.concat(this.#parts).subarray(HEADER);
    const isWhole = body.length === this.#length;
    const type = this.#type;
    this.#length = undefined;
    this.#parts = [];
    this.#read = 0;
    this.#records = [];
    this.#partCount = 0;
    if (isWhole && KEPT.has(type)) this.#onMessage(type, body);
  }
}
