import {
  HandshakeReader,
  HandshakeType,
  type HandshakeMessage,
} from '../../wire/tls/handshake-reader.ts';
import type { ServerHello } from '../../wire/tls/server-hello.ts';
import type { Sender } from '../protocol-reader.ts';
import { RecordReader, type RecordListener, type TlsRecord } from './record-reader.ts';
import { ContentType, TlsVersion } from '../../wire/tls/record.ts';
import { TAG_LENGTH, TrafficKeys, type InnerRecord } from './traffic-keys.ts';

const CLOSE_NOTIFY = 0;
/** Bytes of an alert. */
const ALERT = 2;
/** Bytes of an encrypted alert without padding in TLS 1.3: with its content type and the tag. */
const ENCRYPTED_ALERT = ALERT + 1 + TAG_LENGTH;
/**
 * Bytes of the longest record that is decrypted once the sequence number is known: an alert, or a KeyUpdate of 5 bytes,
 * with some padding (RFC 9846 5.4). Java pads both by 16 bytes.
 */
const MAX_SMALL = 64;
/** Number of encrypted records in which NewSessionTicket is looked for. */
const FIRST_RECORDS = 16;
/** Records tried to find the sequence number, and below, the most that handshake keys are expected to encrypt. */
const MAX_ATTEMPTS = 16;
const MAX_HANDSHAKE_RECORDS = 12;
const MAX_DECRYPTED = 4096;
const MAX_ALERTS = 16;
/** Estimated bytes of a direction without records: its keys, and the first bytes of its messages. */
const DIRECTION_COST = 5 * 1024;
/** Estimated bytes of a kept record. */
const RECORD_COST = 100;

/** An alert (RFC 9846 6). */
export interface TlsAlert {
  /** Number of the record with the alert. */
  readonly record: number;
  /** Time in milliseconds. */
  readonly time: number;
  /** undefined if the alert could not be decrypted. */
  readonly level: number | undefined;
  readonly description: number | undefined;
  readonly isEncrypted: boolean;
}

/**
 * Whether a sender sent close_notify, and how that is known: from an alert in cleartext or decrypted, or estimated,
 * from an encrypted alert at the end (TLS 1.2) or a last record with the size of one (TLS 1.3).
 */
export interface CloseNotify {
  readonly isSent: boolean;
  readonly basis: 'cleartext' | 'decrypted' | 'alert-record' | 'size';
}

/** State of a TLS connection that both directions share. */
export interface TlsSession {
  readonly selection: Pick<ServerHello, 'version' | 'cipherSuite'> | undefined;
  onRecord(from: Sender, record: TlsRecord): void;
  /** Called with the number of each record that may carry HTTP, and the length of its content. */
  onData(from: Sender, record: number, length: number): void;
  /** Called with the body of each handshake message. */
  onHandshake(type: number, body: Buffer): void;
}

/** Reads one direction of a TLS connection. */
export class TlsDirection implements RecordListener {
  readonly #from: Sender;
  readonly #session: TlsSession;
  readonly #records: Readonly<RecordReader>;
  readonly #handshake: HandshakeReader;
  readonly #alerts: TlsAlert[] = [];
  #alertsLeftOut = 0;
  hasChangedCipher = false;
  #secret: Buffer | undefined;
  #keys: TrafficKeys | undefined;
  /** Number of encrypted records in TLS 1.3. */
  #encryptedCount = 0;
  #attempts = 0;
  /** Sequence number of the next record with the current keys; undefined until one was decrypted. */
  #sequence: number | undefined;
  /** Number of the last record that was decrypted. */
  #opened: number | undefined;

  /** @param limit number of records that are kept */
  constructor(from: Sender, limit: number, session: TlsSession) {
    this.#from = from;
    this.#session = session;
    this.#records = new RecordReader(limit, this);
    this.#handshake = new HandshakeReader((type, body) => session.onHandshake(type, body));
  }

  push(bytes: Buffer, time: number): void {
    this.#records.push(bytes, time);
  }

  /** Sets the sender's application traffic secret (TLS 1.3). */
  setSecret(secret: Buffer): void {
    this.#secret ??= secret;
  }

  get handshake(): readonly HandshakeMessage[] {
    return this.#handshake.messages;
  }

  /** Number of complete records, without a final record that is estimated to be close_notify. */
  get dataRecords(): number {
    const { isSent, basis } = this.#closeNotify();
    return this.#records.complete - (isSent && basis === 'size' ? 1 : 0);
  }

  /** Estimated memory in bytes. */
  get bytesKept(): number {
    return DIRECTION_COST + this.#records.records.length * RECORD_COST;
  }

  /** What the records show. Record numbers are from 0. */
  get trace() {
    const { bytes, records, count, last, totals, sizes, confusedAt } = this.#records;
    return {
      bytes,
      records,
      leftOut: count - records.length,
      last,
      totals,
      sizes,
      handshake: this.handshake,
      handshakeLeftOut: Math.max(0, this.#handshake.count - this.handshake.length),
      alerts: this.#alerts,
      alertsLeftOut: this.#alertsLeftOut,
      closeNotify: this.#closeNotify(),
      confusedAt,
    };
  }

  onRecord(record: TlsRecord): 'pieces' | 'whole' | undefined {
    this.#session.onRecord(this.#from, record);
    const { type, length } = record;
    switch (type) {
      case ContentType.changeCipherSpec:
        this.hasChangedCipher = true;
        return undefined;
      case ContentType.alert:
        if (!this.#isEncrypted()) return length === ALERT ? 'whole' : undefined;
        this.#addAlert(record, undefined, undefined, true);
        return undefined;
      case ContentType.handshake:
        return this.#isEncrypted() ? undefined : 'pieces';
      case ContentType.applicationData:
        if (this.#isTls13() && this.#countEncrypted(record)) return 'whole';
        this.#noteData(record);
        return undefined;
      default:
        return undefined;
    }
  }

  /** Reads a part of a handshake message. */
  onContent({ number }: TlsRecord, content: Buffer): void {
    this.#handshake.push(content, number);
  }

  onWhole(record: TlsRecord, content: Buffer): void {
    if (record.type === ContentType.alert) this.#readAlert(record, content, false);
    else this.#decrypt(record, content);
  }

  /** Reports an encrypted record as possible HTTP data. */
  #noteData({ number, length }: TlsRecord): void {
    const { selection } = this.#session;
    // In TLS 1.3, the first encrypted record belongs to the handshake.
    if (!selection || (this.#isTls13() && this.#encryptedCount === 1)) return;
    const overhead = this.#isTls13() ? TAG_LENGTH + 1 : recordOverhead(selection.cipherSuite);
    if (overhead !== undefined) this.#session.onData(this.#from, number, length - overhead);
  }

  #isTls13(): boolean {
    return this.#session.selection?.version === TlsVersion.tls13;
  }

  /**
   * Whether alerts and handshake messages are encrypted. Encrypted TLS 1.3 records have another type (RFC 9846 5.2).
   */
  #isEncrypted(): boolean {
    const { selection } = this.#session;
    return this.hasChangedCipher && selection !== undefined && selection.version < TlsVersion.tls13;
  }

  /**
   * Counts an encrypted record. @returns whether to decrypt it: a first one, or one that may be an alert or KeyUpdate
   */
  #countEncrypted({ length }: TlsRecord): boolean {
    const { selection } = this.#session;
    if (this.#secret && selection) {
      this.#keys ??= TrafficKeys.of(selection.cipherSuite, this.#secret);
    }
    this.#encryptedCount++;
    if (this.#sequence !== undefined) this.#sequence++;
    if (!this.#keys || length > MAX_DECRYPTED) return false;
    if (this.#sequence === undefined) return this.#attempts++ < MAX_ATTEMPTS;
    return this.#encryptedCount <= FIRST_RECORDS || length <= MAX_SMALL;
  }

  #decrypt(record: TlsRecord, content: Buffer): void {
    const inner = this.#open(record, content);
    if (inner) this.#opened = record.number;
    if (!inner) this.#noteData(record);
    if (inner?.type === ContentType.applicationData) {
      this.#session.onData(this.#from, record.number, inner.content.length);
    }
    if (inner?.type === ContentType.alert) this.#readAlert(record, inner.content, true);
    if (inner?.type !== ContentType.handshake) return;
    const messages = new HandshakeReader((type, body) => this.#session.onHandshake(type, body));
    messages.push(inner.content, record.number);
    if (inner.content[0] !== HandshakeType.keyUpdate) return;
    this.#keys = this.#keys?.next();
    this.#sequence = 0;
  }

  /**
   * Decrypts a record. The first encrypted records used handshake keys. Their number is not known, so the sequence
   * number is found by trying.
   */
  #open(record: TlsRecord, content: Buffer): InnerRecord | undefined {
    const keys = this.#keys;
    if (this.#sequence !== undefined) {
      const inner = keys?.open(record, content, this.#sequence - 1);
      // If one record cannot be decrypted, those after it cannot either.
      if (!inner) this.#keys = undefined;
      return inner;
    }
    const last = this.#encryptedCount - 1;
    for (let sequence = last; sequence >= Math.max(0, last - MAX_HANDSHAKE_RECORDS); sequence--) {
      const inner = keys?.open(record, content, sequence);
      if (!inner) continue;
      this.#sequence = sequence + 1;
      return inner;
    }
    return undefined;
  }

  #readAlert(record: TlsRecord, content: Buffer, isEncrypted: boolean): void {
    const [level, description] = content;
    if (content.length === ALERT) this.#addAlert(record, level, description, isEncrypted);
  }

  #addAlert(
    { number, time }: TlsRecord,
    level: number | undefined,
    description: number | undefined,
    isEncrypted: boolean,
  ): void {
    const alert = { record: number, time, level, description, isEncrypted };
    if (this.#alerts.length < MAX_ALERTS) this.#alerts.push(alert);
    else this.#alertsLeftOut++;
  }

  #closeNotify(): CloseNotify {
    const alert = this.#alerts.find(({ description }) => description === CLOSE_NOTIFY);
    if (alert) return { isSent: true, basis: alert.isEncrypted ? 'decrypted' : 'cleartext' };
    const { last, isComplete } = this.#records;
    if (this.#isTls13()) {
      if (last && this.#opened === last.number) return { isSent: false, basis: 'decrypted' };
      const isOfSize =
        last?.type === ContentType.applicationData && last.length === ENCRYPTED_ALERT;
      return { isSent: isOfSize && isComplete, basis: 'size' };
    }
    const isAlert = last?.type === ContentType.alert && this.#isEncrypted();
    return { isSent: isAlert && isComplete, basis: 'alert-record' };
  }
}

const EXPLICIT_NONCE = 8;

/**
 * Bytes that a TLS 1.2 cipher suite adds to each record: AES-GCM (RFC 5288 3) or ChaCha20 (RFC 7905 2). undefined for
 * other suites, such as CBC, whose padding varies.
 */
function recordOverhead(suite: number): number | undefined {
  const isGcm = (suite >= 0x9c && suite <= 0xa7) || (suite >= 0xc02b && suite <= 0xc032);
  if (isGcm) return EXPLICIT_NONCE + TAG_LENGTH;
  return suite >= 0xcca8 && suite <= 0xccae ? TAG_LENGTH : undefined;
}
